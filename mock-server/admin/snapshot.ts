import { z } from "zod";
import { type TransitionTable, wireTransitionSettingsSchema } from "../control-plane/revisions/transition-settings.ts";
import type { StoreContent } from "../control-plane/store/content.ts";
import type { ControlPlaneStore } from "../control-plane/store/control-plane-store.ts";
import { wireFaultRuleSchema } from "../faults/fault-rule.ts";
import type { FaultTable } from "../faults/fault-table.ts";
import { furthestTime } from "../kit/clock.ts";
import type { Redaction } from "../kit/redaction.ts";
import { isConstraintViolation } from "../kit/store/database.ts";
import { namingUnknownKeys } from "../kit/unknown-names.ts";
import { toWireNames } from "../kit/wire-names.ts";

const record = z.looseObject({ id: z.string().min(1) });
const scoped = record.extend({ tenantId: z.string(), edition: z.enum(["cloud", "self-hosted"]) });
const sequenced = z.looseObject({ sequence: z.int().min(0) });
const time = z.number().min(-furthestTime).max(furthestTime);
const transition = z.looseObject({ status: z.string(), at: time });
const object = z.looseObject({});
const secret = z.looseObject({ name: z.string(), value: z.string() });

/** A list of records with distinct ids. */
const records = <Schema extends z.ZodType<{ id: string }>>(schema: Schema) =>
  z.array(schema).superRefine((all, context) => {
    const ids = new Set<string>();
    for (const [index, { id }] of all.entries()) {
      if (ids.has(id))
        context.addIssue({ code: "custom", path: [index, "id"], message: `The id ${id} is there twice` });
      ids.add(id);
    }
  });

/** A snapshot that {@link takeSnapshot} wrote. Only the fields that the server reads are checked. */
export const snapshotSchema = z.strictObject({
  version: z.literal(1),
  transitions: wireTransitionSettingsSchema,
  faults: z.array(wireFaultRuleSchema),
  content: z.strictObject({
    sequence: z.int().min(0),
    deployments: records(
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
    revisions: records(
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
      integrations: records(record.extend({ kind: z.enum(["github", "forge"]), repositories: z.array(object) })),
      listeners: records(record.extend({ tenantId: z.string(), computeId: z.string() })),
      uploads: records(record.extend({ deploymentId: z.string(), data: z.string() })),
      providers: records(scoped.extend({ providerId: z.string(), authUrl: z.string(), tokenUrl: z.string() })),
      tokens: records(scoped.extend({ accessToken: z.string(), scopes: z.array(z.string()) })),
      authSessions: records(scoped.extend({ status: z.string() })),
      connections: records(scoped.extend({ agentId: z.string(), tokenId: z.string() })),
      oauthClients: records(record.extend({ redirectUris: z.array(z.string()) })),
      oauthCodes: records(record.extend({ clientId: z.string() })),
      oauthGrants: records(record.extend({ clientId: z.string(), spentRefreshTokens: z.array(z.string()) })),
    }),
  }),
});

/** The state of the control planes, without that of agent servers. Opaque to clients; its shape may change. */
export type Snapshot = z.input<typeof snapshotSchema>;

/** The parts of a server that a snapshot covers. */
export interface SnapshotSubject {
  store: ControlPlaneStore;
  faults: FaultTable;
  transitions: TransitionTable;
  redaction: Redaction;
}

/** Record fields that hold secrets. */
const secretFields = new Set(["accessToken", "refreshToken", "clientSecret", "secret", "codeVerifier", "value"]);

/** Takes a snapshot of deployments, faults and transitions. Only one with secrets can be restored completely. */
export function takeSnapshot(
  { store, faults, transitions, redaction }: SnapshotSubject,
  includeSecrets: boolean,
): Snapshot {
  const snapshot = {
    version: 1,
    transitions: toWireNames(transitions.get()),
    faults: toWireNames(faults.list().map(({ matched: _, happened: __, ...rule }) => rule)),
    content: store.content(),
  };
  if (includeSecrets) return snapshot as unknown as Snapshot;
  const text = JSON.stringify(snapshot, (name, value) => {
    if (name === "spentRefreshTokens") return [];
    return secretFields.has(name) && typeof value === "string" ? "[redacted]" : value;
  });
  return JSON.parse(redaction.text(text)) as Snapshot;
}

/**
 * Replaces everything with a snapshot.
 * @throws {z.ZodError} for an invalid snapshot; {RangeError} for two faults with the same id, or a record that can't be
 * read.
 */
export function putSnapshot({ store, faults, transitions, redaction }: SnapshotSubject, input: Snapshot): void {
  const snapshot = snapshotSchema.parse(input, namingUnknownKeys);
  const { mode, rules } = snapshot.transitions;
  try {
    store.transaction(() => {
      store.replace(snapshot.content as unknown as StoreContent);
      faults.replace(snapshot.faults);
    });
  } catch (error) {
    if (!(error instanceof TypeError) && !isConstraintViolation(error)) throw error;
    throw new RangeError(`The snapshot has a record that can't be read: ${error.message}.`);
  }
  for (const value of store.secrets()) redaction.remember(value);
  transitions.set({ ...(mode === undefined ? {} : { mode }), rules: rules ?? [] });
}
