import { z } from "zod";
import {
  integrationSeedSchema,
  seedIntegrations,
  wireIntegrationSeedSchema,
} from "../control-plane/integrations/integration-seed.ts";
import { listenerCreateRequest } from "../control-plane/listeners/listener-schemas.ts";
import { deploymentCreateRequest } from "../control-plane/schemas.ts";
import type { Services } from "../control-plane/services.ts";
import type { ControlPlaneStore } from "../control-plane/store/control-plane-store.ts";
import type { DeploymentRecord } from "../control-plane/store/records.ts";
import { badRequest, HttpError } from "../kit/http/http-error.ts";
import { namingUnknownKeys } from "../kit/unknown-names.ts";

const deploymentSeedSchema = z.strictObject({
  ...deploymentCreateRequest.shape,
  source_config: z.strictObject(deploymentCreateRequest.shape.source_config.shape).default({}),
  source_revision_config: z.strictObject(deploymentCreateRequest.shape.source_revision_config.shape).default({}),
  secrets: z.array(z.strictObject(deploymentCreateRequest.shape.secrets.element.shape)).default([]),
  /** Default: the workspace of callers that name none. */
  tenant_id: z.string().min(1).optional(),
  /** Number of deployments; each `{n}` in the name becomes the number, from 1. @default 1 */
  count: z.int().min(1).max(100_000).optional(),
});

/** Initial contents of a mock server. Listeners and deployments are bodies of create requests, with a workspace. */
const seedSchema = z.strictObject({
  integrations: z.array(integrationSeedSchema).optional(),
  /** Listeners of the self-hosted edition. */
  listeners: z
    .array(z.strictObject({ ...listenerCreateRequest.shape, tenant_id: z.string().min(1).optional() }))
    .optional(),
  /** Bodies of create requests; `external_docker` goes to the self-hosted edition, every other source to the cloud. */
  deployments: z.array(deploymentSeedSchema).optional(),
});
export type Seed = z.input<typeof seedSchema>;

/** A seed with its wire names. */
export const wireSeedSchema = seedSchema.extend({ integrations: z.array(wireIntegrationSeedSchema).optional() });

/** The records that a seed created. */
export interface Seeded {
  integrations: number;
  listeners: { id: string; computeId: string }[];
  deployments: { id: string; name: string; latestRevisionId: string }[];
}

/** The server that a seed fills. */
export interface SeedTarget {
  services: Services;
  store: ControlPlaneStore;
  /** The workspace of resources that name none. */
  defaultWorkspace: string;
  /** Whether builds may load code, which is asynchronous. */
  runsCode: boolean;
}

/**
 * Adds a seed under the same rules as requests: all of it or, when one part is refused or can't be stored, nothing.
 * Where builds load code for its deployments, a process that dies in the meantime leaves a part of it.
 * @throws {z.ZodError} for an invalid seed; {HttpError} 400 for a part that breaks a rule, naming the part.
 */
export async function applySeed(target: SeedTarget, input: Seed): Promise<Seeded> {
  const seed = seedSchema.parse(input, namingUnknownKeys);
  const { services, store, runsCode } = target;
  const integrations = store.integrations.all();
  const made: Seeded = { integrations: seed.integrations?.length ?? 0, listeners: [], deployments: [] };
  const steps = seedSteps(target, seed, made);
  if (!runsCode) {
    store.transaction(() => {
      for (const _ of steps);
    });
    return made;
  }
  try {
    for (const created of steps) await created;
  } catch (error) {
    store.transaction(() => {
      for (const { id } of made.deployments) services.deployments.remove(id);
      for (const { id } of made.listeners) store.listeners.remove(id);
      store.integrations.replace(integrations);
    });
    throw error;
  }
  return made;
}

/** Creates the parts in order and adds them to `made`. Yields promises that the caller must await. */
function* seedSteps(
  { services, store, defaultWorkspace }: SeedTarget,
  seed: z.output<typeof seedSchema>,
  made: Seeded,
): Generator<Promise<void>> {
  let part = "";
  const refused = (error: unknown) =>
    error instanceof HttpError ? new HttpError(400, `${part}: ${error.message}`) : error;
  try {
    seedIntegrations(store.integrations, seed.integrations ?? []);
    for (const [index, { tenant_id: tenantId = defaultWorkspace, ...body }] of (seed.listeners ?? []).entries()) {
      part = `listeners[${index}]`;
      const listener = services.of({ edition: "self-hosted", tenantId }).listeners.create(body);
      made.listeners.push({ id: listener.id, computeId: listener.computeId });
    }
    for (const [index, entry] of (seed.deployments ?? []).entries()) {
      const { tenant_id: tenantId = defaultWorkspace, count = 1, ...body } = entry;
      part = `deployments[${index}]`;
      if (count > 1 && !body.name.includes("{n}")) throw badRequest("the name needs a {n} when count is above 1.");
      const edition = body.source === "external_docker" ? "self-hosted" : "cloud";
      const { deployments } = services.of({ edition, tenantId });
      for (let number = 1; number <= count; number++) {
        const name = body.name.replaceAll("{n}", String(number));
        const note = ({ id, latestRevisionId }: DeploymentRecord) => {
          made.deployments.push({ id, name, latestRevisionId });
        };
        const created = deployments.create({ ...body, name }, { isSeeded: true });
        if (created instanceof Promise) yield created.then(note, (error: unknown) => Promise.reject(refused(error)));
        else note(created);
      }
    }
  } catch (error) {
    throw refused(error);
  }
}
