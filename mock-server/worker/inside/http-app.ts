import type { AuthUser } from "../../agent-server/auth/auth-user.ts";
import { isBodiless } from "../../kit/http/http-response.ts";
import type { Calls } from "../calls.ts";
import type { ModuleExport } from "../load/graph-config.ts";
import { loadExport } from "../load/load-export.ts";
import { ProjectLoadError } from "../load/project-load-error.ts";
import type { AppRequest, AppResponse, AppTable, ServerMethods, WorkerMethods } from "../protocol.ts";
import { ResponseBodies, readFromOtherSide } from "../response-bodies.ts";
import { isHono, PassingHono } from "./hono-app.ts";

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
    const { method, url, headers, handle } = sent;
    const body = sent.body === "streamed" ? this.#streamedBody(handle) : sent.body && new Uint8Array(sent.body);
    const request = new Request(url, { method, headers, signal, ...(body && { body, duplex: "half" }) });
    const behind = new Map<ReadableStream, number>();
    const response = await (this.#app instanceof PassingHono
      ? this.#app.fetch(request, { user, next: (passed) => this.#respondBehind(handle, request, passed, behind) })
      : this.#app.fetch(request));
    if (!(response instanceof Response)) {
      throw new TypeError("The app of http.app returned something that isn't a Response.");
    }
    if (response.status === 0) throw new TypeError("The app of http.app returned a Response.error().");
    // The client has left in the meantime, so nobody will read the body.
    if (signal.aborted) void response.body?.cancel().catch(() => undefined);
    const passedOn = response.body && !response.bodyUsed ? behind.get(response.body) : undefined;
    return {
      status: response.status,
      headers: [...response.headers],
      // A body of the server that the app left alone doesn't pass through the worker.
      passedOn: passedOn ?? null,
      body: response.body && passedOn === undefined && !signal.aborted ? this.bodies.keep(response.body) : null,
    };
  }

  async #respondBehind(
    handle: number,
    request: Request,
    passed: Request,
    behind: Map<ReadableStream, number>,
  ): Promise<Response> {
    const { status, headers, response, hasBody } = await this.#calls.call("respondBehindApp", {
      handle,
      changes: {
        headers: [...passed.headers],
        search: new URL(passed.url).search,
        // A request that the app has put in the place of the client's has a body of its own.
        body: passed === request || !passed.body ? null : new Uint8Array(await passed.arrayBuffer()),
      },
    });
    if (!hasBody || isBodiless(status)) return new Response(null, { status, headers });
    const content = readFromOtherSide({
      read: () => this.#calls.call("readBehindApp", { handle, response }),
      cancel: () => this.#calls.call("cancelBehindApp", { handle, response }),
    });
    behind.set(content, response);
    return new Response(content, { status, headers });
  }

  #streamedBody(handle: number): ReadableStream<Uint8Array> {
    return readFromOtherSide({
      read: () => this.#calls.call("readRequestBody", handle),
      // The server discards what the app doesn't read.
      cancel: async () => undefined,
    });
  }
}
