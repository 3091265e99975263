import type { Dispatcher } from "undici";
import { z } from "zod";
import { type Logger, Redactor, redactingLogger, silentLogger } from "../redact.ts";
import type { Settings } from "../settings.ts";
import { type Clock, formatDuration, systemClock } from "../time.ts";
import { defaultDispatcher, isHttpAllowed, isServiceHost } from "./connection.ts";
import { ConfigError, NotFoundError, TimeoutError } from "./errors.ts";
import { RequestPipeline } from "./pipeline.ts";
import type { ApiRequest, CallOptions } from "./response.ts";
import { type Advice, defaultRequestLimits, isFromIntermediary, isTransient, type RequestLimits } from "./retry.ts";
import {
  type Assistant,
  assistantSchema,
  type Cron,
  cronSchema,
  type StoreItem,
  storeItemSchema,
} from "./wire/agent-server.ts";

export interface AgentServerOptions {
  /** The deployment's URL. */
  url: string;
  /** Whose API key is sent, and to which hosts it may be. */
  settings: Pick<Settings, "apiKey" | "baseUrl" | "agentHosts" | "allowHttpHosts">;
  /** @default the system's clock */
  clock?: Clock;
  /** Holds the values to redact from messages; the client adds the key to it. @default a new one */
  redactor?: Redactor;
  /** @default nothing is logged */
  logger?: Logger;
  /** Returns a number in [0, 1) for the jitter of retries. @default Math.random */
  random?: () => number;
  /** An undici dispatcher. @default one shared by the process that honours the proxy variables */
  dispatcher?: Dispatcher;
  /** Appended to the `User-Agent`, which begins with `graphdeploy`. */
  userAgent?: string;
  /** @default `defaultRequestLimits` */
  limits?: Partial<RequestLimits>;
}

export interface ServingOptions extends Pick<CallOptions, "signal"> {
  /** @default 60 s */
  timeoutMs?: number | undefined;
  /** Called every 30 s with the time that the wait has taken, in milliseconds. */
  onWaiting?: ((elapsedMs: number) => void) | undefined;
}

/** Fields of a request body, under the names of the wire. */
type Fields = Readonly<Record<string, unknown>>;

/** The largest page that an agent server returns, in items. */
const maxPageSize = 1_000;

const maxWaitMs = 60_000;
const pollMs = 2_000;
const heartbeatMs = 30_000;

/** Fields whose values error messages don't repeat, since they may hold secrets. */
const sensitiveFields = ["config", "context", "input", "value", "webhook"] as const;

const agentServerAdvice: Advice = {
  onStatus(status) {
    if (status === 401) return "Check that the API key belongs to the deployment's workspace.";
    if (status === 403) return "The deployment's auth handlers don't permit this to the API key.";
    if (status === 409) return "The id is in use, by something that the API key may not read.";
    if (status === 429) return "The agent server limits the request rate; try again later.";
    if (status >= 500) return "The agent server failed: read the deployment's log, then run again.";
    return undefined;
  },
  onIntermediary: (baseUrl) => `Check the deployment's URL ${baseUrl}: no agent server responds there.`,
  onBrokenContract: (baseUrl) => `Check that ${baseUrl} is an agent server of this platform.`,
};

/**
 * A client of one deployment's agent server. Every method throws {@link ApiError}, {@link ConnectionError}, {@link
 * ResponseError} or {@link Aborted}.
 */
export class AgentServer {
  /** Without a trailing slash. */
  readonly url: string;
  readonly clock: Clock;
  readonly #pipeline: RequestPipeline;

  /**
   * @throws {@link ConfigError} when the API key may not be sent to the host, or `url` or the environment's proxy can't be
   * used
   */
  constructor({ url, settings, ...options }: AgentServerOptions) {
    const parsed = URL.parse(url);
    if (parsed === null) throw new ConfigError("The deployment's URL is not a URL.", { path: "url" });
    refuseToWithholdKey(parsed, settings);
    this.url = parsed.origin + parsed.pathname.replace(/\/+$/, "");
    this.clock = options.clock ?? systemClock;
    const redactor = (options.redactor ?? new Redactor()).add([settings.apiKey]);
    this.#pipeline = new RequestPipeline({
      baseUrl: this.url,
      headers: {
        "user-agent": ["graphdeploy", options.userAgent].filter(Boolean).join(" "),
        "x-api-key": settings.apiKey,
      },
      advice: agentServerAdvice,
      limits: { ...defaultRequestLimits, ...options.limits },
      dispatcher: options.dispatcher ?? defaultDispatcher(this.url, settings.allowHttpHosts),
      redactor,
      logger: redactingLogger(options.logger ?? silentLogger, redactor),
      clock: this.clock,
      random: options.random ?? Math.random,
    });
  }

  /**
   * Waits until `/ok` responds: after a rollout it may take some seconds until the new revision is reached.
   * @throws {@link TimeoutError} when it doesn't in time
   */
  async waitUntilServing({ signal, timeoutMs = maxWaitMs, onWaiting }: ServingOptions = {}): Promise<void> {
    const startedAt = this.clock.now();
    const deadline = startedAt + timeoutMs;
    const stop = this.clock.every(heartbeatMs, () => onWaiting?.(this.clock.now() - startedAt));
    try {
      for (;;) {
        const leftMs = deadline - this.clock.now();
        const failure = await this.#failureToServe({ signal, deadlineMs: Math.max(pollMs, leftMs) });
        if (failure === undefined) return;
        if (this.clock.now() + pollMs > deadline) {
          throw new TimeoutError(
            `The agent server at ${this.url} isn't serving after ${formatDuration(timeoutMs)}: ${failure.message}`,
            { cause: failure },
          );
        }
        await this.clock.sleep(pollMs, signal);
      }
    } finally {
      stop();
    }
  }

  /** Why the server doesn't serve yet; `undefined` when it does. */
  async #failureToServe(call: CallOptions): Promise<Error | undefined> {
    try {
      await this.#pipeline.send({ method: "GET", path: "/ok", schema: undefined, idempotent: true, ...call });
      return undefined;
    } catch (error) {
      if (isTransient(error) || isFromIntermediary(error) || error instanceof NotFoundError) return error;
      throw error;
    }
  }

  /** `POST /assistants/search`: the assistants whose metadata has these entries. */
  async searchAssistants(metadata: Fields, call?: CallOptions): Promise<Assistant[]> {
    return this.#search("/assistants/search", metadata, assistantSchema, call);
  }

  /** `GET /assistants/{id}`; `undefined` when the server itself responds with 404. */
  async findAssistant(id: string, call?: CallOptions): Promise<Assistant | undefined> {
    return this.#find(assistantPath(id), {}, assistantSchema, call);
  }

  /** `POST /assistants` for an id of one's own: the assistant with that id, which may have existed before. */
  async ensureAssistant(id: string, fields: Fields, call?: CallOptions): Promise<Assistant> {
    const body = { ...fields, assistant_id: id, if_exists: "do_nothing" };
    return this.#write({ method: "POST", path: "/assistants", body, idempotent: true, ...call }, assistantSchema);
  }

  /** `PATCH /assistants/{id}`: makes a version. Metadata is merged, `config` and `context` are replaced. */
  async updateAssistant(id: string, fields: Fields, call?: CallOptions): Promise<void> {
    await this.#write({ method: "PATCH", path: assistantPath(id), body: fields, idempotent: false, ...call });
  }

  /** `DELETE /assistants/{id}`, with all its versions and crons; one that is gone already is no error. */
  async deleteAssistant(id: string, call?: CallOptions): Promise<void> {
    await absentOn404(this.#write({ method: "DELETE", path: assistantPath(id), idempotent: true, ...call }));
  }

  /** `POST /runs/crons/search`: the crons whose metadata has these entries. */
  async searchCrons(metadata: Fields, call?: CallOptions): Promise<Cron[]> {
    return this.#search("/runs/crons/search", metadata, cronSchema, call);
  }

  /** `POST /runs/crons`. The server chooses the id. */
  async createCron(fields: Fields, call?: CallOptions): Promise<void> {
    await this.#write({ method: "POST", path: "/runs/crons", body: fields, idempotent: false, ...call });
  }

  /** `PATCH /runs/crons/{id}`, which can't change the assistant. Metadata is merged, other fields are replaced. */
  async updateCron(id: string, fields: Fields, call?: CallOptions): Promise<void> {
    await this.#write({ method: "PATCH", path: cronPath(id), body: fields, idempotent: true, ...call });
  }

  /** `DELETE /runs/crons/{id}`; one that is gone already is no error. */
  async deleteCron(id: string, call?: CallOptions): Promise<void> {
    await absentOn404(this.#write({ method: "DELETE", path: cronPath(id), idempotent: true, ...call }));
  }

  /** `GET /store/items`, which doesn't prolong the item's time to live; `undefined` where there is none. */
  async findItem(namespace: readonly string[], key: string, call?: CallOptions): Promise<StoreItem | undefined> {
    const query = { namespace: namespace.join("."), key, refresh_ttl: false };
    return (await this.#find("/store/items", query, storeItemSchema, call)) ?? undefined;
  }

  /** `PUT /store/items`: `namespace`, `key`, `value`, and optionally `index` and `ttl`. */
  async putItem(fields: Fields, call?: CallOptions): Promise<void> {
    await this.#write({ method: "PUT", path: "/store/items", body: fields, idempotent: true, ...call });
  }

  async #search<Item>(path: string, metadata: Fields, item: z.ZodType<Item>, call?: CallOptions): Promise<Item[]> {
    const found: Item[] = [];
    for (;;) {
      const body = { metadata, limit: maxPageSize, offset: found.length };
      const request = { method: "POST", path, body, schema: z.array(item), idempotent: true, ...call } as const;
      const page = (await this.#pipeline.send(request)).body;
      found.push(...page);
      if (page.length < maxPageSize) return found;
    }
  }

  async #find<Body>(
    path: string,
    query: NonNullable<ApiRequest<Body>["query"]>,
    schema: z.ZodType<Body>,
    call?: CallOptions,
  ): Promise<Body | undefined> {
    const response = this.#pipeline.send({ method: "GET", path, query, schema, idempotent: true, ...call });
    return (await absentOn404(response))?.body;
  }

  async #write<Body>(request: Omit<ApiRequest<Body>, "schema">, schema?: z.ZodType<Body>): Promise<Body> {
    const body = request.body as Fields | undefined;
    const sensitive = body && sensitiveFields.map((name) => body[name]);
    return (await this.#pipeline.send({ ...request, schema, sensitive })).body;
  }
}

function assistantPath(id: string): string {
  return `/assistants/${encodeURIComponent(id)}`;
}

function cronPath(id: string): string {
  return `/runs/crons/${encodeURIComponent(id)}`;
}

async function absentOn404<Body>(response: Promise<Body>): Promise<Body | undefined> {
  try {
    return await response;
  } catch (error) {
    // A 404 from an intermediary says nothing about the resource.
    if (error instanceof NotFoundError && error.fromControlPlane) return undefined;
    throw error;
  }
}

/** Why an agent server isn't sent the API key; `undefined` when it may be. */
export function reasonToWithholdKey(
  url: URL,
  { baseUrl, agentHosts, allowHttpHosts }: Pick<Settings, "baseUrl" | "agentHosts" | "allowHttpHosts">,
): string | undefined {
  const { protocol, hostname, host } = url;
  if (protocol !== "https:" && !isHttpAllowed(url, allowHttpHosts)) {
    return "it isn't https, and GRAPHDEPLOY_ALLOW_HTTP_HOSTS doesn't name it";
  }
  const isKnown =
    host === new URL(baseUrl).host ||
    isServiceHost(hostname) ||
    agentHosts.includes(hostname) ||
    agentHosts.includes(host);
  return isKnown ? undefined : "it is neither the control plane's host nor named in GRAPHDEPLOY_AGENT_HOSTS";
}

function refuseToWithholdKey(url: URL, settings: AgentServerOptions["settings"]): void {
  const reason = reasonToWithholdKey(url, settings);
  if (reason === undefined) return;
  throw new ConfigError(`The agent server at ${url.host} isn't sent the API key, since ${reason}.`, {
    path: "agentHosts",
    hint: "Without the key, assistants, crons and store items can't be applied: add the host to that variable.",
  });
}
