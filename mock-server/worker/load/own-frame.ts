import { fileURLToPath } from "node:url";
import { loadedFiles } from "./module-hooks.ts";

/** A frame of a stack, or the first line of a syntax error's. */
const frame = /^(?:\s+at (?:.*\()?)?((?:file:\/\/)?[^\s()]+?):(\d+)(?::\d+\)?)?$/gm;

/**
 * The place in the project's own code that an error came from, as `file:line` with an absolute path; `undefined` for an
 * error without one. Compiled TypeScript keeps its lines.
 */
export function ownFrame(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  for (const [, file = "", line] of stackOf(thrown).matchAll(frame)) {
    const path = pathOf(file);
    if (path !== undefined && loadedFiles.has(path)) return `${path}:${line}`;
  }
  return undefined;
}

/** Code of a project can make a stack that isn't a text, or throws. */
function stackOf(error: Error): string {
  try {
    return typeof error.stack === "string" ? error.stack : "";
  } catch {
    return "";
  }
}

function pathOf(file: string): string | undefined {
  if (!file.startsWith("file:")) return file;
  try {
    return fileURLToPath(file.replace(/[?#].*$/s, ""));
  } catch {
    return undefined;
  }
}
