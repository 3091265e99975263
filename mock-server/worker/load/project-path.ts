import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";

/**
 * The real absolute path of a file that a project's configuration names. `isConfined`: whether it must be in the
 * folder.
 * @throws {Error} when the file doesn't exist or is outside the folder; the message is the predicate of a sentence
 * about the key.
 */
export async function projectPath(folder: string, path: string, isConfined = true): Promise<string> {
  const root = await realpath(folder);
  let file: string;
  try {
    file = await realpath(resolve(root, path));
  } catch {
    throw new Error(`names ${path}, which doesn't exist`);
  }
  if (isConfined && !isInside(root, file))
    throw new Error(`names ${path}, which lies outside the folder of the configuration file`);
  return file;
}

/** Whether a real path is the folder or in it. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
