import { z } from "zod";
import type { CallOptions, ControlPlaneOptions } from "./client-options.ts";
import { type Clock, systemClock } from "./clock.ts";
import { DeploymentRequests } from "./deployment-requests.ts";
import type { Dialect } from "./dialect.ts";
import { defaultDispatcher } from "./dispatcher.ts";
import { isGone } from "./errors.ts";
import { deploymentWebUrl } from "./hosts.ts";
import { Http, type RequestOptions } from "./http.ts";
import type { Answer } from "./http-answer.ts";
import { defaultHttpLimits } from "./http-limits.ts";
import { type DeploymentFilters, deploymentsQuery, type RevisionFilters, revisionsQuery } from "./listing-filters.ts";
import { type Logger, redactingLogger, silentLogger } from "./logger.ts";
import { Listing, type PageRequest } from "./pages.ts";
import { Redactor } from "./redact.ts";
import { checkBaseUrl, checkHttpHosts } from "./settings.ts";
import { Spelling } from "./spelling.ts";
import {
  type Deployment,
  type DeploymentCreateRequest,
  type DeploymentPatchRequest,
  deploymentsListSchema,
} from "./wire/deployment.ts";
import {
  type GithubIntegration,
  type GithubRepository,
  githubIntegrationSchema,
  githubRepositorySchema,
} from "./wire/integrations.ts";
import { type LogsPage, type LogsRequest, logsPageSchema } from "./wire/logs.ts";
import { buildLogsPath, deployLogsPath, deploymentPath, githubRepositoriesPath, revisionPath } from "./wire/paths.ts";
import { type Revision, revisionSchema, revisionsListSchema } from "./wire/revision.ts";

/** A typed client of the control plane. Requests that may not be repeated aren't: see `core/http.ts`. */
export class ControlPlane {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly workspaceId: string | undefined;
  readonly redactor: Redactor;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  readonly #http: Http;
  readonly #spelling: Spelling;
  readonly #deployments: DeploymentRequests;

  /** @throws {@link ConfigError} when the base URL or the proxy of the environment can't be used. */
  constructor(options: ControlPlaneOptions) {
    const allowHttpHosts = checkHttpHosts(options.allowHttpHosts ?? []);
    this.baseUrl = checkBaseUrl(options.baseUrl, allowHttpHosts);
    this.workspaceId = options.workspaceId;
    this.redactor = (options.redactor ?? new Redactor()).add([options.apiKey, options.bearerToken]);
    this.logger = redactingLogger(options.logger ?? silentLogger, this.redactor);
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? Math.random;
    this.#spelling = new Spelling(options.dialect ?? "auto", this.baseUrl);
    this.#http = new Http({
      baseUrl: this.baseUrl,
      headers: {
        "user-agent": ["graphdeploy", options.userAgent].filter(Boolean).join(" "),
        ...(options.apiKey === undefined ? {} : { "x-api-key": options.apiKey }),
        ...(options.bearerToken === undefined ? {} : { authorization: `Bearer ${options.bearerToken}` }),
        ...(options.workspaceId === undefined ? {} : { "x-tenant-id": options.workspaceId }),
      },
      clock: this.clock,
      random: this.random,
      logger: this.logger,
      redactor: this.redactor,
      limits: { ...defaultHttpLimits, ...options.limits },
      dispatcher: options.dispatcher ?? defaultDispatcher(this.baseUrl, allowHttpHosts),
    });
    this.#deployments = new DeploymentRequests(this.#http, this.#spelling);
  }

  /** Whether the control plane itself answered this client before. */
  get hasAnswered(): boolean {
    return this.#http.hasAnswered;
  }

  /** The spelling that requests carry now. */
  get dialect(): Dialect {
    return this.#spelling.dialect;
  }

  /** The deployment's page for people; `undefined` where there is none. */
  webUrl(deployment: Deployment): string | undefined {
    const tenantId = deployment.tenant_id ?? this.workspaceId;
    return tenantId === undefined ? undefined : deploymentWebUrl(this.baseUrl, tenantId, deployment.id);
  }

  /**
   * `POST /v2/deployments`. Never repeated once it may have been carried out: after a lost answer it throws, and the caller looks whether
   * the deployment is there.
   */
  async createDeployment(request: DeploymentCreateRequest, call?: CallOptions): Promise<Deployment> {
    const body = this.#spelling.toWire(request);
    return this.#deployments.write({ method: "POST", path: "/v2/deployments", body, idempotent: false }, call);
  }

  async getDeployment(id: string, call?: CallOptions): Promise<Deployment> {
    return this.#deployments.whole({ method: "GET", path: deploymentPath(id), idempotent: true, ...call });
  }

  /** Newest first. */
  listDeployments(filters: DeploymentFilters = {}, call?: CallOptions): Listing<Deployment> {
    return new Listing(async (page) => (await this.#deploymentsPage(filters, page, call)).body);
  }

  /**
   * The deployment whose name is exactly `name`, and the server's clock at the start of the search. A listing of several pages that doesn't
   * hold it is read twice, because a deletion in between can hide an item from one reading. What is found is read by its id: a listing may lag
   * behind, or leave out the environment, which says whose the deployment is.
   */
  async findByName(
    name: string,
    call?: CallOptions,
  ): Promise<{ deployment: Deployment | undefined; serverTimeMs: number | undefined }> {
    let serverTimeMs: number | undefined;
    for (let reading = 1; reading <= 2; reading += 1) {
      let pages = 0;
      const listing = new Listing<Deployment>(async (page) => {
        const answer = await this.#deploymentsPage({ nameContains: name }, page, call);
        serverTimeMs ??= answer.serverTimeMs;
        pages += 1;
        return answer.body;
      });
      for await (const { id, name: listed } of listing) {
        if (listed === name) return { deployment: await this.findById(id, call), serverTimeMs };
      }
      if (pages <= 1) break;
    }
    return { deployment: undefined, serverTimeMs };
  }

  /** The deployment with this id; `undefined` once the control plane itself says that it is gone. */
  async findById(id: string, call?: CallOptions): Promise<Deployment | undefined> {
    try {
      return await this.getDeployment(id, call);
    } catch (error) {
      if (isGone(error, id)) return undefined;
      throw error;
    }
  }

  /**
   * `PATCH /v2/deployments/{id}`. With `makesRevision` it isn't repeated once it may have been carried out, because a second one would make a
   * second revision.
   */
  async patchDeployment(
    id: string,
    patch: DeploymentPatchRequest,
    options: CallOptions & { makesRevision: boolean },
  ): Promise<Deployment> {
    const { makesRevision, ...call } = options;
    const body = this.#spelling.toWire(patch);
    const request = { method: "PATCH", path: deploymentPath(id), body, idempotent: !makesRevision } as const;
    return this.#deployments.write(request, call);
  }

  /** `DELETE /v2/deployments/{id}`: begins the deletion, which is finished when `getDeployment` answers that it is gone. */
  async deleteDeployment(id: string, options: CallOptions & { deleteTracingProject?: boolean } = {}): Promise<void> {
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
  async deleteDeployments(ids: readonly string[], call?: CallOptions): Promise<{ complete: boolean; body: unknown }> {
    const parameters = new URLSearchParams(ids.map((id): [string, string] => ["deployment_ids", id]));
    const { status, body } = await this.#send({
      method: "DELETE",
      path: `/v2/deployments?${parameters}`,
      schema: z.unknown(),
      idempotent: true,
      ...call,
    });
    return { complete: status !== 207, body };
  }

  /** Latest first. */
  listRevisions(deploymentId: string, filters: RevisionFilters = {}, call?: CallOptions): Listing<Revision> {
    return new Listing(async (page) => {
      const { body } = await this.#send({
        method: "GET",
        path: `${deploymentPath(deploymentId)}/revisions`,
        query: revisionsQuery(filters, page),
        schema: this.#spelling.neutral(revisionsListSchema),
        idempotent: true,
        ...call,
      });
      return body;
    });
  }

  async getRevision(deploymentId: string, revisionId: string, call?: CallOptions): Promise<Revision> {
    const path = revisionPath(deploymentId, revisionId);
    return (
      await this.#send({
        method: "GET",
        path,
        schema: this.#spelling.neutral(revisionSchema),
        idempotent: true,
        ...call,
      })
    ).body;
  }

  /** `POST …/revisions`: newer servers only; an older one answers 404 or 405 while the deployment reads well. Always makes a revision. */
  async createRevision(deploymentId: string, request: DeploymentPatchRequest, call?: CallOptions): Promise<Revision> {
    const path = `${deploymentPath(deploymentId)}/revisions`;
    const body = this.#spelling.toWire(request);
    const schema = this.#spelling.neutral(revisionSchema);
    return (await this.#send({ method: "POST", path, body, schema, idempotent: false, ...call })).body;
  }

  /** `POST …/revisions/{id}/redeploy`: a new revision with the configuration of that one. Answers the deployment. */
  async redeployRevision(deploymentId: string, revisionId: string, call?: CallOptions): Promise<Deployment> {
    const path = `${revisionPath(deploymentId, revisionId)}/redeploy`;
    return this.#deployments.whole({ method: "POST", path, idempotent: false, ...call });
  }

  /** `POST …/revisions/{id}/interrupt`: asks the platform to stop a rollout; what that does is the platform's affair. */
  async interruptRevision(deploymentId: string, revisionId: string, call?: CallOptions): Promise<void> {
    const path = `${revisionPath(deploymentId, revisionId)}/interrupt`;
    await this.#send({ method: "POST", path, schema: undefined, idempotent: true, ...call });
  }

  async buildLogs(deploymentId: string, revisionId: string, query: LogsRequest = {}, call?: CallOptions) {
    return this.#logs(buildLogsPath(deploymentId, revisionId), query, call);
  }

  /** `GET /v1/integrations/github/install`: the workspace's links to accounts of the repository host. */
  async listGithubIntegrations(call?: CallOptions): Promise<GithubIntegration[]> {
    const schema = z.array(githubIntegrationSchema);
    const path = "/v1/integrations/github/install";
    return (await this.#send({ method: "GET", path, schema, idempotent: true, ...call })).body;
  }

  /** `GET /v1/integrations/github/{id}/repos`: the repositories that an integration can read. */
  async listGithubRepositories(integrationId: string, call?: CallOptions): Promise<GithubRepository[]> {
    const schema = z.array(githubRepositorySchema);
    const path = githubRepositoriesPath(integrationId);
    return (await this.#send({ method: "GET", path, schema, idempotent: true, ...call })).body;
  }

  /** Of one revision, or of the whole deployment. */
  async deployLogs(deploymentId: string, revisionId: string | undefined, query: LogsRequest = {}, call?: CallOptions) {
    return this.#logs(deployLogsPath(deploymentId, revisionId), query, call);
  }

  async #logs(path: string, query: LogsRequest, call: CallOptions | undefined): Promise<LogsPage> {
    // A POST by form only: it reads.
    const options = { method: "POST", path, body: query, schema: logsPageSchema, idempotent: true, ...call } as const;
    const { body } = await this.#send(options);
    return this.redactor.deep(body) as LogsPage;
  }

  #deploymentsPage(filters: DeploymentFilters, page: PageRequest, call: CallOptions | undefined) {
    return this.#send({
      method: "GET",
      path: "/v2/deployments",
      query: deploymentsQuery(filters, page),
      schema: this.#spelling.neutral(deploymentsListSchema),
      idempotent: true,
      ...call,
    });
  }

  #send<Body>(options: RequestOptions<Body>): Promise<Answer<Body>> {
    return this.#http.request(options);
  }
}
