import type { ModuleExport } from "../load/graph-config.ts";
import { loadExport } from "../load/load-export.ts";
import { ProjectLoadError } from "../load/project-load-error.ts";
import type { PlainRequest, PlainResponse } from "../protocol.ts";
import { ResponseBodies } from "../response-bodies.ts";

/** An app that handles requests of the Fetch API, for example one of Hono or Elysia. */
interface Fetcher {
  fetch(request: Request): Response | Promise<Response>;
}

/** The app of a project, in its worker. */
export class HttpApp {
  readonly #fetcher: Fetcher;
  readonly bodies = new ResponseBodies();

  private constructor(fetcher: Fetcher) {
    this.#fetcher = fetcher;
  }

  /** @throws {ProjectLoadError} when the module doesn't load, or the export isn't an app. */
  static async load(place: ModuleExport): Promise<HttpApp> {
    const value = await loadExport(place);
    if (typeof (value as Partial<Fetcher> | null)?.fetch === "function") return new HttpApp(value as Fetcher);
    throw new ProjectLoadError(
      `${place.exportName} of ${place.module} isn't an app: an object with a method fetch(request) is expected, such as an app of Hono.`,
    );
  }

  async fetch({ method, url, headers, body: sent }: PlainRequest, signal: AbortSignal): Promise<PlainResponse> {
    const response = await this.#fetcher.fetch(
      new Request(url, { method, headers, signal, ...(sent === null ? {} : { body: new Uint8Array(sent) }) }),
    );
    if (!(response instanceof Response)) {
      throw new TypeError("The app of http.app returned something that isn't a Response.");
    }
    const body = response.body && this.bodies.keep(response.body);
    return { status: response.status, headers: [...response.headers], body };
  }
}
