import { badRequest, HttpError } from "../../kit/http/http-error.ts";
import type { ControlPlaneOptions } from "../control-plane-options.ts";
import { normalizeRepository } from "../deployments/commits.ts";
import type { IntegrationRecord, RepositoryRecord } from "../store/records.ts";
import type { Tenancy } from "../tenancy.ts";
import type { IntegrationBody, RepositoryBody } from "./integration-schemas.ts";
import { defaultIntegrationId } from "./integration-seed.ts";

/** The integrations of one tenancy. Only the cloud edition has any, since only it builds from repositories. */
export class IntegrationService {
  readonly #options: Pick<ControlPlaneOptions, "store" | "strict">;
  readonly #tenancy: Tenancy;

  constructor(options: Pick<ControlPlaneOptions, "store" | "strict">, tenancy: Tenancy) {
    this.#options = options;
    this.#tenancy = tenancy;
  }

  /** The integrations of one kind, oldest first. */
  list(kind: IntegrationRecord["kind"]): IntegrationRecord[] {
    return this.#all().filter((record) => record.kind === kind);
  }

  /** @throws {HttpError} 404 when the workspace doesn't have the integration. */
  find(kind: IntegrationRecord["kind"], id: string): IntegrationRecord {
    const record = this.list(kind).find((record) => record.id === id);
    if (!record) throw new HttpError(404, `Integration ID ${id} not found.`);
    return record;
  }

  /**
   * Checks that a deployment's integration exists and can read the repository. While a server has only the default
   * integration, that one replaces any unknown one, so that programs for the hosted service run unchanged; not in
   * strict mode.
   * @throws {HttpError} 400 for an integration that the workspace doesn't have, or a repository that it can't read.
   */
  check(integrationId: string, repositoryUrl: string | null | undefined): void {
    const { store, strict } = this.#options;
    if (!strict && store.integrations.has(defaultIntegrationId)) return;
    const record = this.#all().find(({ id }) => id === integrationId.toLowerCase());
    if (!record) throw badRequest(`source_config.integration_id: Integration ID ${integrationId} not found.`);
    if (record.acceptsAnyRepository || !repositoryUrl) return;
    const repository = normalizeRepository(repositoryUrl);
    if (!record.repositories.some(({ url }) => normalizeRepository(url) === repository)) {
      throw badRequest(
        `source_config.repo_url: the integration ${record.name} has no access to ${repositoryUrl}. Its repositories are listed by GET /v1/integrations/github/${record.id}/repos.`,
      );
    }
  }

  #all(): IntegrationRecord[] {
    const { edition, tenantId } = this.#tenancy;
    return edition === "cloud" ? this.#options.store.integrations.ofWorkspace(tenantId) : [];
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
