import type { Dispatcher } from "undici";
import { type Logger, Redactor, redactingLogger, silentLogger } from "../redact.ts";
import { type Clock, systemClock } from "../time.ts";
import { defaultDispatcher, deploymentWebUrl, isServiceHost, parseBaseUrl, parseHttpHosts } from "./connection.ts";
import { DeploymentsResource, IntegrationsResource } from "./deployments.ts";
import { RequestPipeline } from "./pipeline.ts";
import type { SendRequest } from "./response.ts";
import { type Advice, defaultRequestLimits, type RequestLimits } from "./retry.ts";
import { RevisionsResource } from "./revisions.ts";
import { type Dialect, type DialectSetting, WireNaming } from "./wire/conventions.ts";
import type { Deployment } from "./wire/deployments.ts";

export interface ControlPlaneOptions {
  /** For example `https://api.host.langchain.com` or `https://<host>/api-host`. */
  baseUrl: string;
  /** Hosts besides loopback that `baseUrl` may reach over plain http, each as `host` or `host:port`. @default none */
  allowHttpHosts?: readonly string[] | undefined;
  /** Sent as `X-Api-Key`. One of `apiKey` and `bearerToken` is needed. */
  apiKey?: string | undefined;
  /** Sent as `Authorization: Bearer`. */
  bearerToken?: string | undefined;
  /** Sent as `X-Tenant-Id`. @default the key's own workspace */
  workspaceId?: string | undefined;
  /** @default "auto" */
  dialect?: DialectSetting;
  /** @default `defaultRequestLimits` */
  limits?: Partial<RequestLimits>;
  /** @default nothing is logged */
  logger?: Logger;
  /** Holds the values to redact from messages; the client adds its key to it. @default a new one */
  redactor?: Redactor;
  /** @default the system's clock */
  clock?: Clock;
  /** Returns a number in [0, 1) for the jitter of retries and polls. @default Math.random */
  random?: () => number;
  /** An undici dispatcher. @default one shared by the process that honours the proxy variables */
  dispatcher?: Dispatcher;
  /** Appended to the `User-Agent`, which begins with `graphdeploy`. */
  userAgent?: string;
}

const controlPlaneAdvice: Advice = {
  onStatus(status) {
    if (status === 401)
      return "Check the API key: it is missing, mistyped or revoked, or belongs to another installation.";
    if (status === 403) return "Check the workspace ID, and that the API key may work in that workspace.";
    if (status === 409) return "The name is in use in this workspace.";
    if (status === 429) return "The control plane limits the request rate; try again later.";
    if (status >= 500) return "The control plane failed; try again later.";
    return undefined;
  },
  onIntermediary(baseUrl) {
    const url = new URL(baseUrl);
    if (!isServiceHost(url.hostname) && !url.pathname.endsWith("/api-host")) {
      return `The control plane of a self-hosted installation is served at /api-host: set the base URL to ${url.origin}/api-host.`;
    }
    return `Check the base URL ${baseUrl}: no control plane responds there.`;
  },
  onBrokenContract: (baseUrl) => `Check that ${baseUrl} is a control plane of this platform.`,
};

/** A typed client of the control plane. How a request is sent and retried: `core/client/pipeline.ts`. */
export class ControlPlane {
  readonly deployments: DeploymentsResource;
  readonly revisions: RevisionsResource;
  readonly integrations: IntegrationsResource;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly workspaceId: string | undefined;
  readonly redactor: Redactor;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  readonly #pipeline: RequestPipeline;
  readonly #naming: WireNaming;

  /** @throws {@link ConfigError} when the base URL or the environment's proxy can't be used */
  constructor(options: ControlPlaneOptions) {
    const allowHttpHosts = parseHttpHosts(options.allowHttpHosts ?? []);
    this.baseUrl = parseBaseUrl(options.baseUrl, allowHttpHosts);
    this.workspaceId = options.workspaceId;
    this.redactor = (options.redactor ?? new Redactor()).add([options.apiKey, options.bearerToken]);
    this.logger = redactingLogger(options.logger ?? silentLogger, this.redactor);
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? Math.random;
    this.#naming = new WireNaming(options.dialect ?? "auto", isServiceHost(new URL(this.baseUrl).hostname));
    this.#pipeline = new RequestPipeline({
      baseUrl: this.baseUrl,
      headers: {
        "user-agent": ["graphdeploy", options.userAgent].filter(Boolean).join(" "),
        ...(options.apiKey === undefined ? {} : { "x-api-key": options.apiKey }),
        ...(options.bearerToken === undefined ? {} : { authorization: `Bearer ${options.bearerToken}` }),
        ...(options.workspaceId === undefined ? {} : { "x-tenant-id": options.workspaceId }),
      },
      naming: this.#naming,
      advice: controlPlaneAdvice,
      limits: { ...defaultRequestLimits, ...options.limits },
      dispatcher: options.dispatcher ?? defaultDispatcher(this.baseUrl, allowHttpHosts),
      redactor: this.redactor,
      logger: this.logger,
      clock: this.clock,
      random: this.random,
    });
    const send: SendRequest = (request) => this.#pipeline.send(request);
    this.deployments = new DeploymentsResource(send);
    this.revisions = new RevisionsResource(send, this.redactor);
    this.integrations = new IntegrationsResource(send);
  }

  /** Whether the control plane itself, not an intermediary, has responded to this client. */
  get hasResponded(): boolean {
    return this.#pipeline.hasResponded;
  }

  /** The dialect that requests use now; with `auto` it may change with the first response. */
  get dialect(): Dialect {
    return this.#naming.dialect;
  }

  /** The address of the deployment's web page; `undefined` on loopback, or while its workspace isn't known. */
  webUrl(deployment: Deployment): string | undefined {
    const tenantId = deployment.tenant_id ?? this.workspaceId;
    return tenantId === undefined ? undefined : deploymentWebUrl(this.baseUrl, tenantId, deployment.id);
  }
}
