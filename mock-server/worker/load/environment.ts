import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import type { GraphConfig } from "./graph-config-schema.ts";
import { projectPath } from "./project-path.ts";

/** The environment variables of a project, and the real absolute path of the file that they were read from. */
export interface ProjectEnvironment {
  variables: Record<string, string>;
  file: string | null;
}

/**
 * The environment of a project: given as an object, read from a file or, for a list of names, copied from this process.
 * @throws {Error} when the file doesn't exist or lies outside the folder; the message is the predicate of a sentence
 * about `env`.
 */
export async function projectEnvironment(
  folder: string,
  env: GraphConfig["env"],
  isConfined: boolean,
  outer: NodeJS.ProcessEnv = process.env,
): Promise<ProjectEnvironment> {
  if (env === undefined) return { variables: {}, file: null };
  if (typeof env === "string") {
    const file = await projectPath(folder, env, isConfined);
    const variables = parseEnv(await readFile(file, "utf8"));
    return {
      variables: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value ?? ""])),
      file,
    };
  }
  if (Array.isArray(env)) {
    const taken = env.flatMap((name) => (outer[name] === undefined ? [] : [[name, outer[name]]]));
    return { variables: Object.fromEntries(taken), file: null };
  }
  const written = Object.entries(env).map(([name, value]) => [name, String(value)]);
  return { variables: Object.fromEntries(written), file: null };
}
