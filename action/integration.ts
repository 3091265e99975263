import { ApiError, ResponseError } from "../core/client/errors.ts";
import { isSameRepository } from "../core/declare/fields.ts";
import type { Session } from "./session.ts";

/** What is known about the integration that a deployment is to be created with. */
export interface FoundIntegration {
  id: string | undefined;
  /** Why there is none. It matters only if the creation is refused: a control plane may find one by itself, or need none. */
  missingReason: string | undefined;
}

/** The workspace's integration that can read a repository. */
export async function findIntegration(
  { client, console, signal }: Session,
  repositoryUrl: string,
): Promise<FoundIntegration> {
  const owner = URL.parse(repositoryUrl)?.pathname.split("/")[1]?.toLowerCase();
  try {
    const integrations = await client.integrations.list({ signal });
    // That of the repository's own account is the likeliest; an account may have hundreds of repositories.
    const likeliestFirst = integrations.toSorted(
      (a, b) => Number(b.name?.toLowerCase() === owner) - Number(a.name?.toLowerCase() === owner),
    );
    for (const { id, name } of likeliestFirst) {
      const repositories = await client.integrations.listRepositories(id, { signal });
      if (!repositories.some(({ url }) => isSameRepository(url.toLowerCase(), repositoryUrl.toLowerCase()))) continue;
      console.info(`Integration ${id} (${name ?? "no name"}) reads ${repositoryUrl}.`);
      return { id, missingReason: undefined };
    }
    return withoutIntegration(
      `None of the workspace's ${integrations.length} integrations lists ${repositoryUrl}, so the deployment is created without an integration-id. If that is refused, give the platform's GitHub app access to the repository, or set integration-id.`,
    );
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof ResponseError)) throw error;
    return withoutIntegration(
      `The integrations of the workspace can't be listed, so the deployment is created without an integration-id; set it if that is refused. ${error.message}`,
    );
  }

  function withoutIntegration(missingReason: string): FoundIntegration {
    console.info(missingReason);
    return { id: undefined, missingReason };
  }
}
