import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Names of a declarative file that nobody named, in the order in which they are looked for. */
export const defaultFileNames: readonly string[] = ["graphdeploy.yaml", "graphdeploy.yml", "graphdeploy.json"];

/**
 * The file at `path`; without one, the first with a default name in one of the folders, or `undefined` where there is
 * none.
 * @throws Error when `path` names no file, or when the file can't be read
 */
export function readNamedOrDefault(
  path: string | undefined,
  folders: readonly string[],
): { file: string; text: string } | undefined {
  const files = folders.flatMap((folder) => defaultFileNames.map((name) => join(folder, name)));
  for (const file of path === undefined ? files : [path]) {
    try {
      return { file, text: readFileSync(file, "utf8") };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT") throw new Error(`${file} can't be read (${code}).`, { cause: error });
    }
  }
  if (path !== undefined) throw new Error(`There is no file ${path}.`);
  return undefined;
}
