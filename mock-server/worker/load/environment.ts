import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import type { GraphConfig } from "./graph-config-schema.ts";
import { projectPath } from "./project-path.ts";

/**
 * The environment variables of a project: written out, read from a file, or, for a list of names, taken from this process.
 * @throws {Error} when the file isn't there or lies where it must not; the message is the rest of a sentence about `env`.
 */
export async function projectEnvironment(
  folder: string,
  env: GraphConfig["env"],
  isConfined: boolean,
  outer: NodeJS.ProcessEnv = process.env,
): Promise<Record<string, string>> {
  if (env === undefined) return {};
  if (typeof env === "string") {
    const variables = parseEnv(await readFile(await projectPath(folder, env, isConfined), "utf8"));
    return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value ?? ""]));
  }
  if (Array.isArray(env)) {
    return Object.fromEntries(env.flatMap((name) => (outer[name] === undefined ? [] : [[name, outer[name]]])));
  }
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]));
}
