import type { Database } from "../../kit/store/database.ts";

/** Where a branch or tag of a repository stands. */
export interface MovedRef {
  repository: string;
  ref: string;
  commit: string;
}

/** Where the branches and tags of repositories stand, as far as a push has moved them. Repositories and refs are in their normal forms. */
export class Commits {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  get(repository: string, ref: string): string | undefined {
    const found = "SELECT hash FROM commits WHERE repository = ? AND ref = ?";
    return this.#database.get<{ hash: string }>(found, repository, ref)?.hash;
  }

  set(repository: string, ref: string, commit: string): void {
    this.#database.run(
      "INSERT INTO commits (repository, ref, hash) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET hash = excluded.hash",
      repository,
      ref,
      commit,
    );
  }

  all(): MovedRef[] {
    return this.#database.all<MovedRef>(`SELECT repository, ref, hash AS "commit" FROM commits ORDER BY position`);
  }

  clear(): void {
    this.#database.run("DELETE FROM commits");
  }
}
