import { z } from "zod";
import { furthestTime } from "../clock.ts";
import { transitionSettingsSchema } from "../control-plane/transition-settings.ts";
import { faultRuleSchema } from "../faults/fault-rule.ts";
import { badRequest } from "../http-error.ts";
import { endAgents, type Mock } from "../mock.ts";
import type { StateContent } from "../state/repositories.ts";
import { rememberSecretsOf } from "../state/secrets-of.ts";

const record = z.looseObject({ id: z.string().min(1) });
const scoped = record.extend({ tenantId: z.string(), edition: z.enum(["cloud", "self-hosted"]) });
const sequenced = z.looseObject({ sequence: z.int().min(0) });
const time = z.number().min(-furthestTime).max(furthestTime);
const transition = z.looseObject({ status: z.string(), at: time });
const object = z.looseObject({});
const secret = z.looseObject({ name: z.string(), value: z.string() });

/** A snapshot as it is written by {@link takeSnapshot}. The fields that the server itself reads are checked, the rest is taken as it is. */
export const snapshotSchema = z.strictObject({
  version: z.literal(1),
  transitions: transitionSettingsSchema,
  faults: z.array(faultRuleSchema.loose()),
  content: z.strictObject({
    sequence: z.int().min(0),
    deployments: z.array(
      z.looseObject({
        ...scoped.shape,
        ...sequenced.shape,
        name: z.string(),
        source: z.string(),
        sourceConfig: object,
        revisionConfig: object,
        secrets: z.array(secret),
        createdAt: time,
        updatedAt: time,
        latestRevisionId: z.string(),
        activations: z.array(z.looseObject({ revisionId: z.string(), sequence: z.number(), at: z.number() })),
        deletion: object.nullable(),
        tagValueIds: z.array(z.string()),
      }),
    ),
    revisions: z.array(
      z.looseObject({
        ...record.shape,
        ...sequenced.shape,
        deploymentId: z.string(),
        source: z.string(),
        config: object,
        createdAt: time,
        phases: z.array(z.looseObject({ status: z.string(), duration: z.number() })),
        transitions: z.array(transition).min(1),
        buildLines: z.array(z.string()).nullable(),
        failureLines: z.array(z.string()),
      }),
    ),
    commits: z.array(z.strictObject({ repository: z.string(), ref: z.string(), commit: z.string() })),
    collections: z.strictObject({
      integrations: z.array(record.extend({ kind: z.enum(["github", "forge"]), repositories: z.array(object) })),
      listeners: z.array(record.extend({ tenantId: z.string(), computeId: z.string() })),
      uploads: z.array(record.extend({ deploymentId: z.string(), data: z.string() })),
      providers: z.array(scoped.extend({ providerId: z.string(), authUrl: z.string(), tokenUrl: z.string() })),
      tokens: z.array(scoped.extend({ accessToken: z.string(), scopes: z.array(z.string()) })),
      authSessions: z.array(scoped.extend({ status: z.string() })),
      connections: z.array(scoped.extend({ agentId: z.string(), tokenId: z.string() })),
      oauthClients: z.array(record.extend({ redirectUris: z.array(z.string()) })),
      oauthCodes: z.array(record.extend({ clientId: z.string() })),
      oauthGrants: z.array(record.extend({ clientId: z.string(), spentRefreshTokens: z.array(z.string()) })),
    }),
  }),
});
export type Snapshot = z.input<typeof snapshotSchema>;

/** Names of the fields of records that hold secrets. */
const secretFields = new Set(["accessToken", "refreshToken", "clientSecret", "secret", "codeVerifier", "value"]);

/** Everything that the server knows: deployments, faults, transitions. Without secrets, unless they are asked for: then it can be put back whole. */
export function takeSnapshot(mock: Mock, includeSecrets: boolean): Snapshot {
  const snapshot = {
    version: 1,
    transitions: mock.transitions.get(),
    faults: mock.faults.list().map(({ matched: _, happened: __, ...rule }) => rule),
    content: mock.state.content(),
  };
  if (includeSecrets) return snapshot as unknown as Snapshot;
  const text = JSON.stringify(snapshot, (name, value) => {
    if (name === "spentRefreshTokens") return [];
    return secretFields.has(name) && typeof value === "string" ? "[redacted]" : value;
  });
  return JSON.parse(mock.redaction.text(text)) as Snapshot;
}

/** @throws {HttpError} 400 where what is given up was to be kept, and it isn't confirmed. */
export function checkConfirmed({ isKept }: Mock, isConfirmed: boolean): void {
  if (isKept && !isConfirmed) {
    throw badRequest(
      "This gives up what the data directory keeps: confirm it by ?confirm=true, or { confirm: true } in code.",
    );
  }
}

/**
 * Puts a snapshot in the place of everything; agent servers begin anew.
 * @throws {z.ZodError} for one of another shape; {RangeError} for two faults of one id; {HttpError} 400 where it must be confirmed and isn't.
 */
export function putSnapshot(mock: Mock, input: Snapshot, isConfirmed: boolean): void {
  checkConfirmed(mock, isConfirmed);
  const snapshot = snapshotSchema.parse(input);
  const { mode, rules } = snapshot.transitions;
  mock.faults.replace(snapshot.faults.map((rule) => faultRuleSchema.parse(rule)));
  mock.transitions.set({ ...(mode === undefined ? {} : { mode }), rules: rules ?? [] });
  const content = snapshot.content as unknown as StateContent;
  rememberSecretsOf(mock.redaction, content);
  mock.state.replace(content);
  endAgents(mock);
}
