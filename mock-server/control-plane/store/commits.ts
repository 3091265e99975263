import type { Database } from "../../kit/store/database.ts";

/** The commit of a branch or tag. */
export interface MovedRef {
  repository: string;
  ref: string;
  commit: string;
}

/** The commits of branches and tags that pushes moved. Repositories and refs are in normal form. */
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
