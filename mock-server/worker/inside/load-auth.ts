import type { AuthEvent, AuthRequest } from "../../agent-server/auth/auth-handlers.ts";
import { type ExportedAuth, exportedAuth } from "../../agent-server/auth/exported-auth.ts";
import type { CallHandler } from "../calls.ts";
import type { ModuleExport } from "../load/graph-config.ts";
import { loadExport } from "../load/load-export.ts";
import { ProjectLoadError } from "../load/project-load-error.ts";

/** Which handlers are asked, and what: a thread that takes the place of another has loaded none yet. */
export interface AuthCall<Params> {
  auth: ModuleExport;
  params: Params;
}

/** What a project's thread answers about the project's auth handlers: `load-auth`, `authenticate`, `authorize`. */
export function authMethods(): Record<string, CallHandler> {
  let loaded: Promise<ExportedAuth> | undefined;
  const load = (auth: ModuleExport) => {
    loaded ??= loadAuth(auth);
    return loaded;
  };
  return {
    "load-auth": async (auth: ModuleExport) => void (await load(auth)),
    authenticate: async ({ auth, params }: AuthCall<AuthRequest>) => (await load(auth)).authenticate(params),
    authorize: async ({ auth, params }: AuthCall<AuthEvent>) => (await load(auth)).authorize(params),
  };
}

/** @throws {ProjectLoadError} when they don't load, or the export is neither an object of the official client's class `Auth` nor a plain one. */
async function loadAuth(place: ModuleExport): Promise<ExportedAuth> {
  const exported = await loadExport(place);
  try {
    return exportedAuth(exported);
  } catch (error) {
    throw new ProjectLoadError(
      `${place.exportName} of ${place.module} ${(error as Error).message}: an object of the class Auth is expected, or one with authenticate and on.`,
    );
  }
}
