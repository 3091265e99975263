import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";

/**
 * The real, absolute path of a file that a project's configuration names, links followed. `isConfined`: whether it has to lie in the folder.
 * @throws {Error} when there is no such file, or it lies where it must not; the message is the rest of a sentence about the path.
 */
export async function projectPath(folder: string, path: string, isConfined = true): Promise<string> {
  const root = await realpath(folder);
  let file: string;
  try {
    file = await realpath(resolve(root, path));
  } catch {
    throw new Error(`names ${path}, which isn't there`);
  }
  if (isConfined && !isInside(root, file))
    throw new Error(`names ${path}, which lies outside the folder of the configuration file`);
  return file;
}

/** Whether a real path is the folder or lies in it. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
