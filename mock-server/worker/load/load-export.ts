import { pathToFileURL } from "node:url";
import type { ModuleExport } from "./graph-config.ts";
import { registerModuleHooks } from "./module-hooks.ts";
import { ownFrame } from "./own-frame.ts";
import { ProjectLoadError } from "./project-load-error.ts";

/**
 * Loads an export of a project's module; awaits a promise. Call it in a worker only, since it registers module hooks.
 * @throws {ProjectLoadError} when the module doesn't load or lacks the export.
 */
export async function loadExport({ module, exportName }: ModuleExport): Promise<unknown> {
  registerModuleHooks();
  let exported: Record<string, unknown>;
  try {
    exported = await import(pathToFileURL(module).href);
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: "", message: String(error) };
    const reason = `${name === "Error" || name === "" ? "" : `${name}: `}${message}`;
    throw new ProjectLoadError(`${module} doesn't load: ${withPlace(reason, error)}`, { cause: error });
  }
  const value = Object.hasOwn(exported, exportName) ? exported[exportName] : commonJsExport(exported, exportName);
  if (value === undefined) {
    const names = Object.keys(exported).filter((name) => exported[name] !== undefined);
    const has = names.length > 0 ? `it exports ${names.join(", ")}` : "it exports nothing";
    throw new ProjectLoadError(`${module} doesn't export ${exportName}: ${has}.`);
  }
  try {
    return await value;
  } catch (error) {
    const reason = withPlace(String(error), error);
    throw new ProjectLoadError(`${exportName} of ${module} is a promise that rejected: ${reason}`, { cause: error });
  }
}

function withPlace(reason: string, error: unknown): string {
  const place = ownFrame(error);
  return place === undefined ? reason : `${reason} (${place})`;
}

/** An export of a CommonJS module that Node.js couldn't detect before running it: those are in the default export. */
function commonJsExport(exported: Record<string, unknown>, exportName: string): unknown {
  const whole = exported.default;
  return typeof whole === "object" && whole !== null ? (whole as Record<string, unknown>)[exportName] : undefined;
}
