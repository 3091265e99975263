import { z } from "zod";
import { ApiError, isGone, ResponseError } from "./errors.ts";
import { Listing, type PageRequest } from "./pagination.ts";
import type { ApiRequest, CallOptions, SendRequest } from "./response.ts";
import {
  type Deployment,
  type DeploymentCreateRequest,
  type DeploymentPatchRequest,
  deploymentSchema,
  deploymentsListSchema,
  type GithubIntegration,
  type GithubRepository,
  githubIntegrationSchema,
  githubRepositorySchema,
} from "./wire/deployments.ts";

/** Filters of `GET /v2/deployments`; lists are sent comma-separated. */
export interface DeploymentFilters {
  /** A substring of the name: for an exact name use `findByName`. */
  nameContains?: string;
  status?: string;
  deploymentType?: string;
  deploymentIds?: readonly string[];
  imageVersion?: string;
  tagValueIds?: readonly string[];
  remoteReconciled?: boolean;
}

/**
 * `client.deployments`. Every method throws {@link ApiError}, {@link ConnectionError}, {@link ResponseError} or {@link
 * Aborted}.
 */
export class DeploymentsResource {
  readonly #send: SendRequest;

  constructor(send: SendRequest) {
    this.#send = send;
  }

  /**
   * `POST /v2/deployments`. Never retried once it may have taken effect: after an unknown outcome it throws, and the
   * caller rechecks whether the deployment exists.
   */
  async create(request: DeploymentCreateRequest, call?: CallOptions): Promise<Deployment> {
    return this.#write({ method: "POST", path: "/v2/deployments", body: request, idempotent: false }, call);
  }

  async get(id: string, call?: CallOptions): Promise<Deployment> {
    return readDeployment(this.#send, { method: "GET", path: deploymentPath(id), idempotent: true, ...call });
  }

  /** The deployment with this id; `undefined` when the control plane itself reports that it is gone. */
  async find(id: string, call?: CallOptions): Promise<Deployment | undefined> {
    try {
      return await this.get(id, call);
    } catch (error) {
      if (isGone(error, id)) return undefined;
      throw error;
    }
  }

  /**
   * The deployment whose name is exactly `name`, and the server's time in milliseconds when the search began. Where it
   * is in none of several pages, they are read twice, because a deletion in between can hide an item. The deployment is
   * then read by its id: a listing may be stale, or leave out the environment, which holds the ownership marker.
   */
  async findByName(
    name: string,
    call?: CallOptions,
  ): Promise<{ deployment: Deployment | undefined; serverTimeMs: number | undefined }> {
    let serverTimeMs: number | undefined;
    for (let reading = 1; reading <= 2; reading += 1) {
      let pages = 0;
      const listing = new Listing<Deployment>(async (page) => {
        const response = await this.#page({ nameContains: name }, page, call);
        serverTimeMs ??= response.serverTimeMs;
        pages += 1;
        return response.body;
      });
      for await (const { id, name: listed } of listing) {
        if (listed === name) return { deployment: await this.find(id, call), serverTimeMs };
      }
      if (pages <= 1) break;
    }
    return { deployment: undefined, serverTimeMs };
  }

  /** Newest first. */
  list(filters: DeploymentFilters = {}, call?: CallOptions): Listing<Deployment> {
    return new Listing(async (page) => (await this.#page(filters, page, call)).body);
  }

  /**
   * `PATCH /v2/deployments/{id}`. With `makesRevision` it isn't retried once it may have taken effect: a second one
   * would make a second revision.
   */
  async update(
    id: string,
    patch: DeploymentPatchRequest,
    options: CallOptions & { makesRevision: boolean },
  ): Promise<Deployment> {
    const { makesRevision, ...call } = options;
    return this.#write({ method: "PATCH", path: deploymentPath(id), body: patch, idempotent: !makesRevision }, call);
  }

  /** `DELETE /v2/deployments/{id}`: starts the deletion, which is complete when `find` returns `undefined`. */
  async delete(id: string, options: CallOptions & { deleteTracingProject?: boolean } = {}): Promise<void> {
    const { deleteTracingProject, ...call } = options;
    await this.#send({
      method: "DELETE",
      path: deploymentPath(id),
      query: { delete_tracing_project: deleteTracingProject },
      schema: undefined,
      idempotent: true,
      ...call,
    });
  }

  /** `DELETE /v2/deployments?deployment_ids=…`: 200 when all were deleted, 207 with the failures in the body. */
  async deleteMany(ids: readonly string[], call?: CallOptions): Promise<{ complete: boolean; body: unknown }> {
    const parameters = new URLSearchParams(ids.map((id): [string, string] => ["deployment_ids", id]));
    const path = `/v2/deployments?${parameters}`;
    const request = { method: "DELETE", path, schema: z.unknown(), idempotent: true, ...call } as const;
    const { status, body } = await this.#send(request);
    return { complete: status !== 207, body };
  }

  #page(filters: DeploymentFilters, { limit, offset }: PageRequest, call: CallOptions | undefined) {
    return this.#send({
      method: "GET",
      path: "/v2/deployments",
      query: {
        limit,
        offset,
        name_contains: filters.nameContains,
        status: filters.status,
        deployment_type: filters.deploymentType,
        deployment_ids: filters.deploymentIds?.join(","),
        image_version: filters.imageVersion,
        tag_value_ids: filters.tagValueIds?.join(","),
        remote_reconciled: filters.remoteReconciled,
      },
      schema: deploymentsListSchema,
      idempotent: true,
      ...call,
    });
  }

  /** Sends a write. A server may respond with only a part of the deployment; the whole is then read. */
  async #write(request: DeploymentRequest, call: CallOptions | undefined): Promise<Deployment> {
    const { body } = await this.#send({ ...request, ...call, schema: writtenSchema });
    const whole = deploymentSchema.safeParse(body);
    if (whole.success) return whole.data;
    try {
      // Not abortable: nobody else knows the id in the response yet.
      return await this.get(body.id, { ...call, signal: undefined });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const message = `Deployment ${body.id} was written but can't be read: ${error.message}`;
      throw new ResponseError(message, { cause: error });
    }
  }
}

type DeploymentRequest = Omit<ApiRequest<Deployment>, "schema">;

/** The least that the response to a write must hold. */
const writtenSchema = z.looseObject({ id: z.string().min(1) });

/** Sends a request to which the server responds with a whole deployment. */
export async function readDeployment(send: SendRequest, request: DeploymentRequest): Promise<Deployment> {
  return (await send({ ...request, schema: deploymentSchema })).body;
}

/** `/v2/deployments/{id}` */
export function deploymentPath(id: string): string {
  return `/v2/deployments/${encodeURIComponent(id)}`;
}

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
