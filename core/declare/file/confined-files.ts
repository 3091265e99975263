import { readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";

/** Bytes of a file that is filled in. Environment variables can hardly be longer. */
const maxFilledBytes = 64 * 1024;

/**
 * Reads texts from `folder` and the folders in it, by relative paths. Links are followed first: one that leads elsewhere is refused. The last
 * line break is left out, as it is in a shell's `$(cat …)`.
 */
export function createConfinedReader(folder: string): (path: string) => string {
  return (path) => {
    const file = resolveIn(folder, path);
    const { size } = statSync(file);
    if (size > maxFilledBytes) throw new Error(`is larger than ${maxFilledBytes / 1024} KiB.`);
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file)).replace(/\r?\n$/, "");
    } catch (cause) {
      const isText = !(cause instanceof TypeError);
      throw new Error(isText ? "can't be read." : "isn't UTF-8 text.", { cause });
    }
  };
}

function resolveIn(folder: string, path: string): string {
  if (path === "" || isAbsolute(path)) throw new Error("isn't relative to this file's folder.");
  const root = realpathSync(folder);
  const isOutside = (file: string) => {
    const way = relative(root, file);
    return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
  };
  const outside = () => new Error("is outside of this file's folder.");
  // Before anything is looked up: whether there is something outside is nobody's business.
  if (isOutside(resolve(root, path))) throw outside();
  let file: string;
  try {
    file = realpathSync(resolve(root, path));
  } catch (cause) {
    throw new Error("doesn't exist.", { cause });
  }
  if (isOutside(file)) throw outside();
  if (!statSync(file).isFile()) throw new Error("isn't a file.");
  return file;
}
