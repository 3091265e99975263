import { randomUUID } from "node:crypto";
import type { ModuleExport } from "../load/graph-config.ts";
import { loadExport } from "../load/load-export.ts";
import { ProjectLoadError } from "../load/project-load-error.ts";
import type { AppRequest, AppResponse } from "../protocol.ts";

/** What answers requests of the Fetch API: an app of Hono or Elysia, for instance. */
interface Fetcher {
  fetch(request: Request): Response | Promise<Response>;
}

/** The app of a project. */
export class HttpApp {
  readonly #fetcher: Fetcher;
  /** Under ids that no other worker knows: a body belongs to the worker that began it. */
  readonly #bodies = new Map<string, ReadableStreamDefaultReader<Uint8Array>>();

  private constructor(fetcher: Fetcher) {
    this.#fetcher = fetcher;
  }

  /** @throws {ProjectLoadError} when the app doesn't load, or is something else. */
  static async load(place: ModuleExport): Promise<HttpApp> {
    const value = await loadExport(place);
    if (typeof (value as Partial<Fetcher> | null)?.fetch === "function") return new HttpApp(value as Fetcher);
    throw new ProjectLoadError(
      `${place.exportName} of ${place.module} isn't an app: an object with a method fetch(request) is expected, such as an app of Hono.`,
    );
  }

  async fetch({ method, url, headers, body }: AppRequest, signal: AbortSignal): Promise<AppResponse> {
    const response = await this.#fetcher.fetch(
      new Request(url, { method, headers, signal, ...(body === null ? {} : { body: new Uint8Array(body) }) }),
    );
    if (!(response instanceof Response)) {
      throw new TypeError("The app of http.app returned something that isn't a Response.");
    }
    const id = response.body && randomUUID();
    if (response.body && id) this.#bodies.set(id, response.body.getReader());
    return { status: response.status, headers: [...response.headers], body: id };
  }

  /** @throws {TypeError} for a body that isn't there, as when another worker had begun it. */
  async readBody(id: string): Promise<Uint8Array | null> {
    const reader = this.#bodies.get(id);
    if (!reader) throw new TypeError("The body belongs to a worker that has ended.");
    const { done, value } = await reader.read();
    if (!done) return value;
    this.#bodies.delete(id);
    return null;
  }

  async cancelBody(id: string): Promise<void> {
    const reader = this.#bodies.get(id);
    this.#bodies.delete(id);
    await reader?.cancel();
  }
}
