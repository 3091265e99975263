import { z } from "zod";
import type { CallOptions, SendRequest } from "./pipeline.ts";
import {
  type GithubIntegration,
  type GithubRepository,
  githubIntegrationSchema,
  githubRepositorySchema,
} from "./wire/deployments.ts";

/**
 * `client.integrations`. Every method throws {@link ApiError}, {@link ConnectionError}, {@link ResponseError} or {@link
 * Aborted}.
 */
export class IntegrationsResource {
  readonly #send: SendRequest;

  constructor(send: SendRequest) {
    this.#send = send;
  }

  /** `GET /v1/integrations/github/install`: the workspace's links to accounts of the repository host. */
  async list(call?: CallOptions): Promise<GithubIntegration[]> {
    return this.#get("/v1/integrations/github/install", z.array(githubIntegrationSchema), call);
  }

  /** `GET /v1/integrations/github/{id}/repos`: the repositories that an integration can read. */
  async listRepositories(integrationId: string, call?: CallOptions): Promise<GithubRepository[]> {
    const path = `/v1/integrations/github/${encodeURIComponent(integrationId)}/repos`;
    return this.#get(path, z.array(githubRepositorySchema), call);
  }

  async #get<Body>(path: string, schema: z.ZodType<Body>, call: CallOptions | undefined): Promise<Body> {
    return (await this.#send({ method: "GET", path, schema, idempotent: true, ...call })).body;
  }
}
