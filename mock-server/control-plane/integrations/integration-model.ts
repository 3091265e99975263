import { z } from "zod";
import { badRequest, HttpError } from "../../kit/http/http-error.ts";
import type { Mock } from "../../mock.ts";
import { normalizeRepository } from "../deployments/commits.ts";
import type { Scope } from "../deployments/deployment-model.ts";
import type { IntegrationRecord, RepositoryRecord } from "../store/records.ts";
import type { IntegrationBody, RepositoryBody } from "./integration-schemas.ts";

/** The integration of a server that was given none: every workspace has it, and it accepts any repository. */
export const defaultIntegrationId = "00000000-0000-4000-8000-000000000010";

const defaultIntegration: IntegrationRecord = {
  id: defaultIntegrationId,
  kind: "github",
  tenantId: null,
  name: "default",
  installationId: 1,
  repositories: [{ id: 1, url: "https://github.com/example/agent", defaultBranch: "main" }],
  acceptsAnyRepository: true,
};

/** An integration as it is configured. */
export const integrationSeedSchema = z.strictObject({
  id: z.guid(),
  name: z.string().min(1),
  /** @default "github" */
  kind: z.enum(["github", "forge"]).optional(),
  /** The workspace that has it. Default: every workspace. */
  tenant_id: z.string().min(1).optional(),
  installation_id: z.int().optional(),
  repositories: z
    .array(z.strictObject({ url: z.url({ protocol: /^https?$/ }), default_branch: z.string().min(1).optional() }))
    .optional(),
  /** Let deployments use repositories that aren't listed. @default false */
  any_repository: z.boolean().optional(),
});
export type IntegrationSeed = z.input<typeof integrationSeedSchema>;

/** Puts the default integration into a state that has no integration. */
export function ensureDefaultIntegration(mock: Mock): void {
  const { integrations } = mock.state;
  if (!integrations.hasAny({})) integrations.put(defaultIntegration);
}

/** Adds integrations; with the first of them the default one is gone. */
export function seedIntegrations(mock: Mock, seeds: readonly IntegrationSeed[]): void {
  const { integrations } = mock.state;
  if (seeds.length > 0) integrations.remove(defaultIntegrationId);
  for (const [index, seed] of seeds.entries()) {
    integrations.put({
      id: seed.id.toLowerCase(),
      kind: seed.kind ?? "github",
      tenantId: seed.tenant_id ?? null,
      name: seed.name,
      installationId: seed.installation_id ?? index + 1,
      repositories: (seed.repositories ?? []).map(({ url, default_branch: branch }, position) => ({
        id: (index + 1) * 1000 + position,
        url,
        defaultBranch: branch ?? "main",
      })),
      acceptsAnyRepository: seed.any_repository ?? false,
    });
  }
}

/** Puts `records` in the place of every integration. */
export function replaceIntegrations(mock: Mock, records: readonly IntegrationRecord[]): void {
  const { integrations } = mock.state;
  mock.state.transaction(() => {
    integrations.clear();
    for (const record of records) integrations.put(record);
  });
}

/** The integrations of one kind that a workspace has. Only the cloud edition has any: no other builds from repositories. */
export function integrationsOf(mock: Mock, scope: Scope, kind: IntegrationRecord["kind"]) {
  return scope.edition === "cloud" ? mock.state.integrations.ofWorkspace(scope.tenantId, kind) : [];
}

function isOf({ tenantId }: IntegrationRecord, scope: Scope): boolean {
  return scope.edition === "cloud" && (tenantId === null || tenantId === scope.tenantId);
}

/** @throws {HttpError} 404 unless the workspace has the integration. */
export function findIntegration(
  mock: Mock,
  scope: Scope,
  kind: IntegrationRecord["kind"],
  id: string,
): IntegrationRecord {
  const record = mock.state.integrations.get(id);
  if (record?.kind !== kind || !isOf(record, scope)) throw new HttpError(404, `Integration ID ${id} not found.`);
  return record;
}

/**
 * Checks the integration that a deployment names, and that it can read the repository. While a server has only the integration that it
 * brought itself, that one stands for any other, so that a program written for the hosted service runs unchanged; strictness ends this.
 * @throws {HttpError} 400 for an integration that the workspace hasn't, or a repository that it can't read.
 */
export function checkIntegration(
  mock: Mock,
  scope: Scope,
  integrationId: string,
  repositoryUrl: string | null | undefined,
): void {
  const { integrations } = mock.state;
  if (!mock.strict && integrations.get(defaultIntegrationId)) return;
  const record = integrations.get(integrationId.toLowerCase());
  if (!record || !isOf(record, scope)) {
    throw badRequest(`source_config.integration_id: Integration ID ${integrationId} not found.`);
  }
  if (record.acceptsAnyRepository || !repositoryUrl) return;
  const repository = normalizeRepository(repositoryUrl);
  if (!record.repositories.some(({ url }) => normalizeRepository(url) === repository)) {
    throw badRequest(
      `source_config.repo_url: the integration ${record.name} has no access to ${repositoryUrl}. Its repositories are listed by GET /v1/integrations/github/${record.id}/repos.`,
    );
  }
}

export function viewIntegration({ id, installationId, name }: IntegrationRecord): IntegrationBody {
  return { id, installation_id: installationId, name };
}

export function viewRepository(integration: IntegrationRecord, repository: RepositoryRecord): RepositoryBody {
  const [owner = "", name = ""] = new URL(repository.url).pathname.split("/").slice(-2);
  return {
    host_integration_id: integration.id,
    id: repository.id,
    name: name.replace(/\.git$/, ""),
    owner,
    url: repository.url,
    default_branch: repository.defaultBranch,
  };
}
