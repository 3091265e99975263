import type { AuthUser } from "../../agent-server/auth/auth-user.ts";
import { isBodiless } from "../../kit/http/http-response.ts";
import type { Calls } from "../calls.ts";
import type { ModuleExport } from "../load/graph-config.ts";
import { loadExport } from "../load/load-export.ts";
import { ProjectLoadError } from "../load/project-load-error.ts";
import type { AppRequest, AppResponse, AppTable, ServerMethods, WorkerMethods } from "../protocol.ts";
import { ResponseBodies, readFromOtherSide } from "../response-bodies.ts";
import { isHono, type PassedRequest, PassingHono } from "./hono-app.ts";

/** An app that handles requests of the Fetch API, for example one of Elysia. */
interface Fetcher {
  fetch(request: Request): Response | Promise<Response>;
}

type ServerCalls = Calls<WorkerMethods, ServerMethods>;

/** The app of a project, in its worker. */
export class HttpApp {
  readonly #app: PassingHono | Fetcher;
  readonly #calls: ServerCalls;
  readonly bodies = new ResponseBodies();

  private constructor(app: PassingHono | Fetcher, calls: ServerCalls) {
    this.#app = app;
    this.#calls = calls;
  }

  /** @throws {ProjectLoadError} when the module doesn't load, or the export isn't an app. */
  static async load(place: ModuleExport, calls: ServerCalls): Promise<HttpApp> {
    const value = await loadExport(place);
    if (typeof (value as Partial<Fetcher> | null)?.fetch !== "function") {
      throw new ProjectLoadError(
        `${place.exportName} of ${place.module} isn't an app: an object with a method fetch(request) is expected, such as an app of Hono.`,
      );
    }
    const app = value as Fetcher;
    return new HttpApp(isHono(app) ? new PassingHono(app) : app, calls);
  }

  get table(): AppTable {
    return this.#app instanceof PassingHono ? this.#app.table : { routes: null, isStrict: true };
  }

  async fetch(sent: AppRequest, user: AuthUser | null, signal: AbortSignal): Promise<AppResponse> {
    const { method, url, headers, exchange } = sent;
    const body = sent.body === "streamed" ? this.#streamedBody(exchange) : sent.body && new Uint8Array(sent.body);
    const request = new Request(url, { method, headers, signal, ...(body && { body, duplex: "half" }) });
    const behind = new Map<ReadableStream, number>();
    const response = await (this.#app instanceof PassingHono
      ? this.#app.fetch(request, { user, next: (passed) => this.#respondBehind(exchange, request, passed, behind) })
      : this.#app.fetch(request));
    if (!(response instanceof Response)) {
      throw new TypeError("The app of http.app returned something that isn't a Response.");
    }
    const passedOn = response.body && !response.bodyUsed ? behind.get(response.body) : undefined;
    return {
      status: response.status,
      headers: [...response.headers],
      // A body of the server that the app left alone doesn't pass through the worker.
      passedOn: passedOn ?? null,
      body: response.body && passedOn === undefined ? this.bodies.keep(response.body) : null,
    };
  }

  async #respondBehind(
    exchange: number,
    request: Request,
    { raw, json }: PassedRequest,
    behind: Map<ReadableStream, number>,
  ): Promise<Response> {
    const { status, headers, response, hasBody } = await this.#calls.call("respondBehindApp", {
      exchange,
      changes: {
        headers: [...raw.headers],
        search: new URL(raw.url).search,
        body: await changedBody(request, raw, json),
      },
    });
    if (!hasBody || isBodiless(status)) return new Response(null, { status, headers });
    const content = readFromOtherSide({
      read: () => this.#calls.call("readBehindApp", { exchange, response }),
      cancel: () => this.#calls.call("cancelBehindApp", { exchange, response }),
    });
    behind.set(content, response);
    return new Response(content, { status, headers });
  }

  #streamedBody(exchange: number): ReadableStream<Uint8Array> {
    return readFromOtherSide({
      read: () => this.#calls.call("readRequestBody", exchange),
      // The server discards what the app doesn't read.
      cancel: async () => undefined,
    });
  }
}

/** The body that a middleware has put in the place of the client's; `null` if it hasn't. */
async function changedBody(request: Request, raw: Request, json: unknown): Promise<Uint8Array | null> {
  if (raw !== request && !raw.bodyUsed && raw.body) return new Uint8Array(await raw.arrayBuffer());
  // A middleware that got over invalid JSON leaves that to the server.
  const parsed = await Promise.resolve(json).catch(() => undefined);
  return parsed === undefined ? null : new TextEncoder().encode(JSON.stringify(parsed));
}
