import type { Dispatcher } from "undici";
import { z } from "zod";
import { type Clock, systemClock } from "./clock.ts";
import { type Dialect, type DialectSetting, dialectOf, toDialect, toNeutralNames } from "./dialect.ts";
import { ApiError, ResponseError } from "./errors.ts";
import { deploymentWebUrl, isServiceHost } from "./hosts.ts";
import { type Answer, defaultHttpLimits, Http, type HttpLimits, type RequestOptions } from "./http.ts";
import { type Logger, silentLogger } from "./logger.ts";
import { Listing, type PageRequest } from "./pages.ts";
import { Redactor } from "./redact.ts";
import { checkBaseUrl } from "./settings.ts";
import {
  type Deployment,
  type DeploymentCreateRequest,
  type DeploymentPatchRequest,
  deploymentSchema,
  deploymentsListSchema,
} from "./wire/deployment.ts";
import {
  type GithubIntegration,
  type GithubRepository,
  githubIntegrationSchema,
  githubRepositorySchema,
} from "./wire/integrations.ts";
import { type LogsPage, type LogsRequest, logsPageSchema } from "./wire/logs.ts";
import { type Revision, revisionSchema, revisionsListSchema } from "./wire/revision.ts";

export interface ControlPlaneOptions {
  /** For example `https://api.host.langchain.com` or `https://<host>/api-host`. */
  baseUrl: string;
  /** Sent as `X-Api-Key`. One of `apiKey` and `bearerToken` is needed. */
  apiKey?: string | undefined;
  /** Sent as `Authorization: Bearer`. */
  bearerToken?: string | undefined;
  /** Sent as `X-Tenant-Id`; absent: the key's own workspace. */
  workspaceId?: string | undefined;
  /** @default "auto" */
  dialect?: DialectSetting;
  /** @default {@link defaultHttpLimits} */
  limits?: Partial<HttpLimits>;
  /** @default nothing is logged */
  logger?: Logger;
  /** Holds the values that no message may show; the key is added to it. @default a new one */
  redactor?: Redactor;
  /** @default the system's clock */
  clock?: Clock;
  /** In [0, 1), for the jitter of repetitions. @default Math.random */
  random?: () => number;
  /** An undici dispatcher. @default one that honours the proxy variables */
  dispatcher?: Dispatcher;
  /** Added to the `User-Agent`. */
  userAgent?: string;
}

/** Per-call options. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Bound of the call with its repetitions, in milliseconds. */
  deadlineMs?: number | undefined;
}

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

/** Filters of `GET /v2/deployments/{id}/revisions`. */
export interface RevisionFilters {
  status?: readonly string[];
  remoteReconciled?: boolean;
}

type Wire = Record<string, unknown>;

/** What the answer to a write must hold at least. */
const writtenSchema = z.looseObject({ id: z.string().min(1) });

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
  readonly #dialectSetting: DialectSetting;
  #observedDialect: Dialect | undefined;

  /** @throws {@link ConfigError} when the base URL can't be used. */
  constructor(options: ControlPlaneOptions) {
    this.baseUrl = checkBaseUrl(options.baseUrl);
    this.workspaceId = options.workspaceId;
    this.redactor = (options.redactor ?? new Redactor()).add([options.apiKey, options.bearerToken]);
    this.logger = redactingLogger(options.logger ?? silentLogger, this.redactor);
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? Math.random;
    this.#dialectSetting = options.dialect ?? "auto";
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
      ...(options.dispatcher === undefined ? {} : { dispatcher: options.dispatcher }),
    });
  }

  /** The spelling that requests carry now. */
  get dialect(): Dialect {
    if (this.#dialectSetting !== "auto") return this.#dialectSetting;
    if (isServiceHost(new URL(this.baseUrl).hostname)) return "langgraph";
    return this.#observedDialect ?? "graph";
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
    const body = this.#toWire(request);
    const options = { method: "POST", path: "/v2/deployments", body, idempotent: false, ...call } as const;
    const { body: answer } = await this.#send({ ...options, schema: this.#neutral(writtenSchema) });
    return this.#completed(answer, call);
  }

  async getDeployment(id: string, call?: CallOptions): Promise<Deployment> {
    return this.#deployment({ method: "GET", path: deploymentPath(id), idempotent: true, ...call });
  }

  /** Newest first. */
  listDeployments(filters: DeploymentFilters = {}, call?: CallOptions): Listing<Deployment> {
    return new Listing(async (page) => (await this.#deploymentsPage(filters, page, call)).body);
  }

  /**
   * The deployment whose name is exactly `name`, and the server's clock at the start of the search. A listing of several pages that doesn't
   * hold it is read twice, because a deletion in between can hide an item from one reading.
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
      for await (const deployment of listing) if (deployment.name === name) return { deployment, serverTimeMs };
      if (pages <= 1) break;
    }
    return { deployment: undefined, serverTimeMs };
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
    const { body: answer } = await this.#send({
      method: "PATCH",
      path: deploymentPath(id),
      body: this.#toWire(patch),
      schema: this.#neutral(writtenSchema),
      idempotent: !makesRevision,
      ...call,
    });
    return this.#completed(answer, call);
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
    return new Listing(async ({ limit, offset }) => {
      const { body } = await this.#send({
        method: "GET",
        path: `${deploymentPath(deploymentId)}/revisions`,
        query: { limit, offset, status: filters.status?.join(","), remote_reconciled: filters.remoteReconciled },
        schema: this.#neutral(revisionsListSchema),
        idempotent: true,
        ...call,
      });
      return body;
    });
  }

  async getRevision(deploymentId: string, revisionId: string, call?: CallOptions): Promise<Revision> {
    const path = revisionPath(deploymentId, revisionId);
    return (await this.#send({ method: "GET", path, schema: this.#neutral(revisionSchema), idempotent: true, ...call }))
      .body;
  }

  /** `POST …/revisions`: newer servers only; an older one answers 404 or 405 while the deployment reads well. Always makes a revision. */
  async createRevision(deploymentId: string, request: DeploymentPatchRequest, call?: CallOptions): Promise<Revision> {
    const path = `${deploymentPath(deploymentId)}/revisions`;
    const body = this.#toWire(request);
    const schema = this.#neutral(revisionSchema);
    return (await this.#send({ method: "POST", path, body, schema, idempotent: false, ...call })).body;
  }

  /** `POST …/revisions/{id}/redeploy`: a new revision with the configuration of that one. Answers the deployment. */
  async redeployRevision(deploymentId: string, revisionId: string, call?: CallOptions): Promise<Deployment> {
    const path = `${revisionPath(deploymentId, revisionId)}/redeploy`;
    return this.#deployment({ method: "POST", path, idempotent: false, ...call });
  }

  /** `POST …/revisions/{id}/interrupt`: asks the platform to stop a rollout; what that does is the platform's affair. */
  async interruptRevision(deploymentId: string, revisionId: string, call?: CallOptions): Promise<void> {
    const path = `${revisionPath(deploymentId, revisionId)}/interrupt`;
    await this.#send({ method: "POST", path, schema: undefined, idempotent: true, ...call });
  }

  async buildLogs(deploymentId: string, revisionId: string, query: LogsRequest = {}, call?: CallOptions) {
    return this.#logs(
      `${projectPath(deploymentId)}/revisions/${encodeURIComponent(revisionId)}/build_logs`,
      query,
      call,
    );
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
    const path = `/v1/integrations/github/${encodeURIComponent(integrationId)}/repos`;
    return (await this.#send({ method: "GET", path, schema, idempotent: true, ...call })).body;
  }

  /** Of one revision, or of the whole deployment. */
  async deployLogs(deploymentId: string, revisionId: string | undefined, query: LogsRequest = {}, call?: CallOptions) {
    const revision = revisionId === undefined ? "" : `/revisions/${encodeURIComponent(revisionId)}`;
    return this.#logs(`${projectPath(deploymentId)}${revision}/deploy_logs`, query, call);
  }

  async #logs(path: string, query: LogsRequest, call: CallOptions | undefined): Promise<LogsPage> {
    // A POST by form only: it reads.
    const options = { method: "POST", path, body: query, schema: logsPageSchema, idempotent: true, ...call } as const;
    const { body } = await this.#send(options);
    return this.redactor.deep(body) as LogsPage;
  }

  #deploymentsPage(filters: DeploymentFilters, { limit, offset }: PageRequest, call: CallOptions | undefined) {
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
      schema: this.#neutral(deploymentsListSchema),
      idempotent: true,
      ...call,
    });
  }

  /** A server may answer a write with less than the whole deployment, which is then read. */
  async #completed(answer: z.infer<typeof writtenSchema>, call: CallOptions | undefined): Promise<Deployment> {
    const whole = deploymentSchema.safeParse(answer);
    if (whole.success) return whole.data;
    try {
      // No abort ends it: the answer's id is known to nobody yet.
      return await this.getDeployment(answer.id, { ...call, signal: undefined });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new ResponseError(`Deployment ${answer.id} was written and can't be read: ${error.message}`, {
        cause: error,
      });
    }
  }

  async #deployment(options: Omit<RequestOptions<Deployment>, "schema">): Promise<Deployment> {
    return (await this.#send({ ...options, schema: this.#neutral(deploymentSchema) })).body;
  }

  #send<Body>(options: RequestOptions<Body>): Promise<Answer<Body>> {
    return this.#http.request(options);
  }

  #toWire<Request extends DeploymentPatchRequest>(request: Request): Wire {
    const config = request.source_revision_config;
    if (config === undefined || config === null) return request as Wire;
    return { ...request, source_revision_config: toDialect(config, this.dialect) };
  }

  /** `schema`, read from a body in either spelling; the body's own spelling is remembered. */
  #neutral<Body>(schema: z.ZodType<Body>): z.ZodType<Body> {
    const convert = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(convert);
      if (typeof value !== "object" || value === null) return value;
      const record = value as Wire;
      if (Array.isArray(record.resources)) return { ...record, resources: record.resources.map(convert) };
      const config = record.source_revision_config;
      if (typeof config !== "object" || config === null || Array.isArray(config)) return value;
      this.#observedDialect = dialectOf(config as Wire) ?? this.#observedDialect;
      return { ...record, source_revision_config: toNeutralNames(config as Wire) };
    };
    return z.preprocess(convert, schema) as unknown as z.ZodType<Body>;
  }
}

function deploymentPath(id: string): string {
  return `/v2/deployments/${encodeURIComponent(id)}`;
}

function revisionPath(deploymentId: string, revisionId: string): string {
  return `${deploymentPath(deploymentId)}/revisions/${encodeURIComponent(revisionId)}`;
}

function projectPath(deploymentId: string): string {
  return `/v1/projects/${encodeURIComponent(deploymentId)}`;
}

function redactingLogger(logger: Logger, redactor: Redactor): Logger {
  const redacted = (level: keyof Logger) => (message: string, fields?: Record<string, unknown>) =>
    logger[level](redactor.text(message), fields && (redactor.deep(fields) as Record<string, unknown>));
  return { debug: redacted("debug"), info: redacted("info"), warn: redacted("warn"), error: redacted("error") };
}
