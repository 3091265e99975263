import { readJson, type Shape } from "./damaged-record.ts";
import type { Database, Schema } from "./database.ts";

/** Single values by their names, as JSON. Format 1 of data directories had the same table. */
export const settingsSchema: Schema = {
  name: "settings",
  migrations: ["CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"],
};

/** What a server remembers beside its records, such as how its clock stands. */
export class Settings {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @throws {DamagedRecordError} for what isn't of the shape */
  get<Value>(name: string, isShape: Shape): Value | undefined {
    const row = this.#database.get<{ value: string }>("SELECT value FROM settings WHERE name = ?", name);
    return row && (readJson(row.value, isShape, () => ({ table: "settings", id: name, column: "value" })) as Value);
  }

  /** Once the database is closed, nothing is kept any more. */
  set(name: string, value: unknown): void {
    if (!this.#database.isOpen) return;
    this.#database.run("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", name, JSON.stringify(value));
  }
}
