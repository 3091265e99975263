import { statSync } from "node:fs";
import { resolve } from "node:path";
import { normalizeRepository } from "../control-plane/deployments/commits.ts";

/** Which folder stands for which repository. */
export class RepositoryFolders {
  readonly #folders = new Map<string, string>();

  /**
   * @param folders Folders by the address of the repository, in any spelling.
   * @throws {RangeError} for a folder that isn't there, and for two folders of one repository.
   */
  constructor(folders: Readonly<Record<string, string>> = {}) {
    for (const [url, folder] of Object.entries(folders)) {
      const path = resolve(folder);
      const repository = normalizeRepository(url);
      if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
        throw new RangeError(`The repository ${url} can't be built from ${folder}: there is no such folder`);
      }
      const known = this.#folders.get(repository);
      if (known !== undefined && known !== path) {
        throw new RangeError(`The repository ${url} has two folders, ${known} and ${path}: give one`);
      }
      this.#folders.set(repository, path);
    }
  }

  get isEmpty(): boolean {
    return this.#folders.size === 0;
  }

  /** The folder of a repository, by any spelling of its address. */
  of(url: string | null | undefined): string | undefined {
    return url && this.#folders.size > 0 ? this.#folders.get(normalizeRepository(url)) : undefined;
  }
}

/** Reads `<url>=<folder>`. @throws {RangeError} for anything else. */
export function parseRepositoryFolder(text: string): [url: string, folder: string] {
  const separator = text.indexOf("=");
  if (separator <= 0 || separator === text.length - 1) {
    throw new RangeError(`"${text}" is no repository and folder: write <url>=<folder>`);
  }
  return [text.slice(0, separator), text.slice(separator + 1)];
}
