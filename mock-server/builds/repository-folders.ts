import { statSync } from "node:fs";
import { resolve } from "node:path";
import { normalizeRepository } from "../control-plane/deployments/commits.ts";

/** The folders that stand for repositories. */
export class RepositoryFolders {
  readonly #folders = new Map<string, string>();

  /**
   * @param folders folders by the address of the repository, in any notation
   * @throws {RangeError} for a folder that doesn't exist, and for two folders of one repository.
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

  /** The folder of a repository, given its address in any notation. */
  of(url: string | null | undefined): string | undefined {
    return url && this.#folders.size > 0 ? this.#folders.get(normalizeRepository(url)) : undefined;
  }
}

/** Reads `<url>=<folder>`. @throws {RangeError} for anything else. */
export function parseRepositoryFolder(text: string): [url: string, folder: string] {
  const separator = text.indexOf("=");
  if (separator <= 0 || separator === text.length - 1) {
    throw new RangeError(`"${text}" isn't a repository and a folder: write <url>=<folder>`);
  }
  return [text.slice(0, separator), text.slice(separator + 1)];
}
