import type { CallHandler } from "../calls.ts";
import type { ModuleExport } from "../load/graph-config.ts";
import { loadExport } from "../load/load-export.ts";
import { ProjectLoadError } from "../load/project-load-error.ts";

/** A request to the app of a project, as it crosses into the project's thread. */
export interface AppRequest {
  app: ModuleExport;
  method: string;
  /** Absolute. */
  url: string;
  headers: [name: string, value: string][];
  body: Uint8Array | null;
}

/** What the app answers. */
export interface AppAnswer {
  status: number;
  headers: [name: string, value: string][];
  /** Names the body, to be read piece by piece; `null`: there is none. */
  body: number | null;
}

/** Anything that answers requests of the Fetch API: an app of Hono or Elysia, for instance. */
interface HttpApp {
  fetch(request: Request): Response | Promise<Response>;
}

/** What a project's thread answers about the project's app: `load-app`, `ask-app`, `read-app-body`, `cancel-app-body`. */
export function appMethods(): Record<string, CallHandler> {
  let loaded: Promise<HttpApp> | undefined;
  const bodies = new Map<number, ReadableStreamDefaultReader<Uint8Array>>();
  let lastBody = 0;
  const load = (app: ModuleExport) => {
    loaded ??= loadHttpApp(app);
    return loaded;
  };
  return {
    "load-app": async (app: ModuleExport) => {
      await load(app);
    },
    "ask-app": async ({ app, method, url, headers, body }: AppRequest, signal): Promise<AppAnswer> => {
      const loadedApp = await load(app);
      const response = await loadedApp.fetch(
        new Request(url, { method, headers, signal, ...(body === null ? {} : { body: new Uint8Array(body) }) }),
      );
      if (!(response instanceof Response)) {
        throw new TypeError("The app of http.app returned something that is no Response.");
      }
      const answer: AppAnswer = { status: response.status, headers: [...response.headers], body: null };
      if (!response.body) return answer;
      bodies.set(++lastBody, response.body.getReader());
      return { ...answer, body: lastBody };
    },
    "read-app-body": async (id: number): Promise<Uint8Array | null> => {
      const reader = bodies.get(id);
      if (!reader) return null;
      const { done, value } = await reader.read();
      if (!done) return value;
      bodies.delete(id);
      return null;
    },
    "cancel-app-body": async (id: number) => {
      const reader = bodies.get(id);
      bodies.delete(id);
      await reader?.cancel();
    },
  };
}

async function loadHttpApp(app: ModuleExport): Promise<HttpApp> {
  const value = await loadExport(app);
  if (typeof (value as Partial<HttpApp> | null)?.fetch === "function") return value as HttpApp;
  throw new ProjectLoadError(
    `${app.exportName} of ${app.module} is no app: an object with a method fetch(request) is expected, such as an app of Hono.`,
  );
}
