import type { ModuleExport } from "./graph-config.ts";
import { loadExport, ProjectLoadError } from "./load-export.ts";
import type { AppRequest, AppResponse } from "./running-project.ts";

/** Anything that answers requests of the Fetch API: an app of Hono, Elysia or itty-router, for instance. */
export interface HttpApp {
  fetch(request: Request): Response | Promise<Response>;
}

/**
 * Loads the app of a project, in the project's thread.
 * @throws {ProjectLoadError} when it doesn't load, or has no `fetch`.
 */
export async function loadHttpApp(app: ModuleExport): Promise<HttpApp> {
  const value = await loadExport(app);
  if (typeof (value as Partial<HttpApp> | null)?.fetch === "function") return value as HttpApp;
  throw new ProjectLoadError(
    `${app.exportName} of ${app.module} is no app: an object with a method fetch(request) is expected, such as an app of Hono.`,
  );
}

/**
 * Gives a request to the app.
 * @throws what the app throws; {TypeError} when it returns anything but a response.
 */
export async function answerByApp(
  app: HttpApp,
  { method, url, headers, body }: AppRequest,
  signal: AbortSignal,
): Promise<AppResponse> {
  const request = new Request(url, {
    method,
    headers,
    signal,
    ...(body === null ? {} : { body: new Uint8Array(body) }),
  });
  const response = await app.fetch(request);
  if (!(response instanceof Response))
    throw new TypeError("The app of http.app returned something that is no Response.");
  return { status: response.status, headers: [...response.headers], body: response.body };
}
