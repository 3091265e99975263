import type { ControlPlane } from "../client/client.ts";
import { ApiError, ResponseError } from "../client/errors.ts";
import { isSameRepository } from "../declare/deployment.ts";

export interface FindIntegrationOptions {
  signal?: AbortSignal | undefined;
  /** Receives what was found, or why nothing was, in one sentence. */
  onNote?: ((message: string) => void) | undefined;
}

/** The integration to create a deployment with. */
export interface FoundIntegration {
  id: string | undefined;
  /**
   * Why there is none, to be shown if the creation is refused: a control plane may find one by itself, or need none.
   */
  missingReason: string | undefined;
}

/**
 * Searches the workspace's integrations for one that can read a repository.
 * @throws the client's errors, except the responses of a control plane that can't list its integrations
 */
export async function findIntegration(
  client: ControlPlane,
  repositoryUrl: string,
  { signal, onNote }: FindIntegrationOptions = {},
): Promise<FoundIntegration> {
  const owner = URL.parse(repositoryUrl)?.pathname.split("/")[1]?.toLowerCase();
  try {
    const integrations = await client.integrations.list({ signal });
    // The integration of the repository's own account comes first: each may list hundreds of repositories.
    const likeliestFirst = integrations.toSorted(
      (a, b) => Number(b.name?.toLowerCase() === owner) - Number(a.name?.toLowerCase() === owner),
    );
    for (const { id, name } of likeliestFirst) {
      const repositories = await client.integrations.listRepositories(id, { signal });
      if (!repositories.some(({ url }) => isSameRepository(url.toLowerCase(), repositoryUrl.toLowerCase()))) continue;
      onNote?.(`Integration ${id} (${name ?? "no name"}) reads ${repositoryUrl}.`);
      return { id, missingReason: undefined };
    }
    return withoutIntegration(
      `${noneOf(integrations.length)} ${repositoryUrl}, so the deployment is created without one. If that is refused, give the platform's GitHub app access to the repository, or set the integration's id.`,
    );
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof ResponseError)) throw error;
    return withoutIntegration(
      `The integrations of the workspace can't be listed, so the deployment is created without one; set the integration's id if that is refused. ${error.message}`,
    );
  }

  function withoutIntegration(missingReason: string): FoundIntegration {
    onNote?.(missingReason);
    return { id: undefined, missingReason };
  }
}

function noneOf(count: number): string {
  if (count === 0) return "The workspace has no integrations, so none lists";
  if (count === 1) return "The workspace's only integration doesn't list";
  return `None of the workspace's ${count} integrations lists`;
}
