import { type Dispatcher, request as sendRequest } from "undici";
import { type Logger, Redactor, redactingLogger, silentLogger } from "../redact.ts";
import { abortedBy, type Clock, formatDuration, systemClock, throwIfAborted } from "../time.ts";
import {
  connectionFailed,
  defaultDispatcher,
  deploymentWebUrl,
  isServiceHost,
  parseBaseUrl,
  parseHttpHosts,
  timedOut,
} from "./connection.ts";
import { DeploymentsResource, IntegrationsResource } from "./deployments.ts";
import { ResponseError } from "./errors.ts";
import { type ApiRequest, type ApiResponse, readBody, readResponse, type SendRequest } from "./response.ts";
import { type AttemptFailure, defaultRequestLimits, type RequestLimits, rateLimitsOf, retryDelayMs } from "./retry.ts";
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

/** A typed client of the control plane, and what every request passes through. */
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
  readonly #naming: WireNaming;
  readonly #limits: RequestLimits;
  readonly #dispatcher: Dispatcher;
  /** Sent with every request, the API key among them. */
  readonly #headers: Readonly<Record<string, string>>;
  /** Identifies whom the server's rate limit counts: the origin with the key. */
  readonly #caller: string;
  #hasResponded = false;

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
    this.#limits = { ...defaultRequestLimits, ...options.limits };
    this.#dispatcher = options.dispatcher ?? defaultDispatcher(this.baseUrl, allowHttpHosts);
    this.#headers = {
      "user-agent": ["graphdeploy", options.userAgent].filter(Boolean).join(" "),
      ...(options.apiKey === undefined ? {} : { "x-api-key": options.apiKey }),
      ...(options.bearerToken === undefined ? {} : { authorization: `Bearer ${options.bearerToken}` }),
      ...(options.workspaceId === undefined ? {} : { "x-tenant-id": options.workspaceId }),
    };
    this.#caller = JSON.stringify([new URL(this.baseUrl).origin, options.apiKey, options.bearerToken]);
    const send: SendRequest = (request) => this.#send(request);
    this.deployments = new DeploymentsResource(send);
    this.revisions = new RevisionsResource(send, this.redactor);
    this.integrations = new IntegrationsResource(send);
  }

  /**
   * Whether the control plane itself, not an intermediary, has responded to this client: then the address is right, and
   * an intermediary's response means an outage.
   */
  get hasResponded(): boolean {
    return this.#hasResponded;
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

  /**
   * Sends a request: wire naming, rate limit, attempts with back-off, and validation and redaction of the response.
   *
   * @throws {@link ApiError} for any status that isn't a success, {@link ConnectionError}, {@link TimeoutError}, {@link
   * ResponseError}, {@link Aborted}
   */
  async #send<Body>(request: ApiRequest<Body>): Promise<ApiResponse<Body>> {
    const { clock, random, logger } = this;
    const limits = this.#limits;
    const deadline = clock.now() + Math.min(request.deadlineMs ?? limits.deadlineMs, limits.deadlineMs);
    const failures = { connection: 0, status: 0, busy: 0 };
    for (let attempt = 1; ; attempt += 1) {
      await this.#waitForRateLimit(request, deadline);
      throwIfAborted(request.signal);
      const timeoutMs = Math.max(1, Math.ceil(Math.min(limits.attemptTimeoutMs, deadline - clock.now())));
      const outcome = await this.#attempt(request, timeoutMs);
      if (!("error" in outcome)) return outcome;
      const { error, kind, retryable, retryAfterMs } = outcome;
      failures[kind] += 1;
      if (kind === "busy" && retryAfterMs !== undefined) {
        rateLimitsOf(clock).begin(this.#caller, clock.now(), retryAfterMs);
      }
      const isSpent = failures.connection > limits.maxConnectionRetries || failures.status > limits.maxRetries;
      const delay = retryDelayMs(attempt, random(), retryAfterMs);
      if (!retryable || isSpent || clock.now() + delay >= deadline) throw error;
      logger.warn(`${error.message} Retrying in ${formatDuration(delay)}.`, { attempt });
      await clock.sleep(delay, request.signal);
    }
  }

  /**
   * Waits while the server limits the rate of this key. A request whose deadline is earlier is sent at once: only the
   * server may refuse it.
   */
  async #waitForRateLimit({ method, path, signal }: ApiRequest<unknown>, deadline: number): Promise<void> {
    const { clock, random, logger } = this;
    for (;;) {
      const leftMs = rateLimitsOf(clock).leftMs(this.#caller, clock.now());
      if (leftMs === 0) return;
      const delay = retryDelayMs(1, random(), leftMs);
      if (clock.now() + delay >= deadline) return;
      logger.debug(`${method} ${path} waits ${formatDuration(delay)}: the control plane limits the request rate.`);
      await clock.sleep(delay, signal);
    }
  }

  async #attempt<Body>(request: ApiRequest<Body>, timeoutMs: number): Promise<ApiResponse<Body> | AttemptFailure> {
    const { baseUrl, clock, logger, redactor } = this;
    const { method, path, body, idempotent } = request;
    const target = { method, path, baseUrl };
    const timeout = AbortSignal.timeout(timeoutMs);
    // A write that can't be retried isn't aborted in progress: its response may be the only record of what it created.
    const abort = idempotent ? request.signal : undefined;
    const startedAt = clock.now();
    try {
      const response = await sendRequest(this.#url(request), {
        method,
        headers: {
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...this.#headers,
        },
        body: body === undefined ? null : JSON.stringify(this.#naming.toWire(body)),
        dispatcher: this.#dispatcher,
        signal: abort === undefined ? timeout : AbortSignal.any([abort, timeout]),
      });
      const text = await readBody(response.body);
      logger.debug(`${method} ${path} ${response.statusCode}`, { durationMs: clock.now() - startedAt });
      const schema = request.schema && this.#naming.fromWire(request.schema);
      const outcome = readResponse(response, text, { target, schema, idempotent, nowMs: clock.now(), redactor });
      if (!("error" in outcome) && schema !== undefined) this.#hasResponded = true;
      return outcome;
    } catch (error) {
      if (abort?.aborted) throw abortedBy(abort);
      if (error instanceof ResponseError && error.fromIntermediary && this.#hasResponded) {
        return { error, retryable: idempotent, kind: "status" };
      }
      if (error instanceof ResponseError) throw error;
      if (timeout.aborted) return timedOut(target, timeoutMs, idempotent);
      return connectionFailed(target, error, idempotent, redactor);
    }
  }

  #url({ path, query = {} }: ApiRequest<unknown>): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
    const search = parameters.toString();
    return `${this.baseUrl}${path}${search === "" ? "" : `?${search}`}`;
  }
}
