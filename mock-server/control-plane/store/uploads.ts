import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Database, described } from "../../kit/store/database.ts";
import type { UploadRecord } from "./records.ts";

type UploadRow = Omit<UploadRecord, "data"> & { file: string | null; data: Uint8Array | null };

const selection = `SELECT id, deployment_id AS "deploymentId", uploaded_at AS "uploadedAt", file, data FROM uploads`;

/**
 * Uploaded source tarballs by object path: in a folder, as files that only their owner can read, or in the database.
 */
export class Uploads {
  readonly #database: Database;
  readonly #folder: string | undefined;

  /** Deletes unreferenced files in `folder`, which a killed server can leave behind. */
  constructor(database: Database, folder: string | undefined) {
    this.#database = database;
    this.#folder = folder;
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const known = new Set(this.#files("SELECT file FROM uploads"));
    for (const file of readdirSync(folder)) if (!known.has(file)) rmSync(join(folder, file), { force: true });
  }

  /** Adds a tarball, or replaces the one with its object path. @throws {StorageError} when it can't be written. */
  put({ id, deploymentId, uploadedAt }: Omit<UploadRecord, "data">, data: Buffer): void {
    // Never overwrites a file, so that a killed process leaves the old or the new tarball complete.
    const file = this.#folder === undefined ? null : `${randomUUID()}.tar.gz`;
    try {
      if (file !== null) writeFileSync(this.#pathOf(file), data, { mode: 0o600, flag: "wx" });
      this.#database.transaction(() => {
        this.#removeFiles("SELECT file FROM uploads WHERE id = ?", id);
        this.#database.run(
          `INSERT INTO uploads (id, deployment_id, uploaded_at, file, data) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
            deployment_id = excluded.deployment_id, uploaded_at = excluded.uploaded_at, file = excluded.file, data = excluded.data`,
          id,
          deploymentId,
          uploadedAt,
          file,
          file === null ? data : null,
        );
      });
    } catch (error) {
      if (file !== null) rmSync(this.#pathOf(file), { force: true });
      throw described(error);
    }
  }

  /** The tarball at an object path. */
  read(id: string): Buffer | undefined {
    const row = this.#database.get<UploadRow>(`${selection} WHERE id = ?`, id);
    return row && this.#dataOf(row);
  }

  /** Removes the tarballs of a deployment. */
  removeOf(deploymentId: string): void {
    this.#removeFiles("SELECT file FROM uploads WHERE deployment_id = ?", deploymentId);
    this.#database.run("DELETE FROM uploads WHERE deployment_id = ?", deploymentId);
  }

  /** All uploads with their tarballs, oldest first. */
  all(): UploadRecord[] {
    return this.#database.all<UploadRow>(`${selection} ORDER BY position`).map(({ file, data, ...record }) => {
      return { ...record, data: this.#dataOf({ file, data }).toString("base64") };
    });
  }

  clear(): void {
    this.#removeFiles("SELECT file FROM uploads");
    this.#database.run("DELETE FROM uploads");
  }

  #dataOf({ file, data }: Pick<UploadRow, "file" | "data">): Buffer {
    return file === null ? Buffer.from(data ?? []) : readFileSync(this.#pathOf(file));
  }

  /** Deletes the files that a query finds, after the transaction that removes their rows. */
  #removeFiles(query: string, ...values: string[]): void {
    const files = this.#files(query, ...values);
    this.#database.afterCommit(() => {
      for (const file of files) rmSync(this.#pathOf(file), { force: true });
    });
  }

  #files(query: string, ...values: string[]): string[] {
    const rows = this.#database.all<{ file: string | null }>(query, ...values);
    return rows.flatMap(({ file }) => file ?? []);
  }

  #pathOf(file: string): string {
    return join(this.#folder ?? "", file);
  }
}
