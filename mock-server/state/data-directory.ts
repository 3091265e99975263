import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type Clock, createClock } from "../clock.ts";
import { collectionKeys } from "./collection-keys.ts";
import type { StateContent } from "./repositories.ts";
import type { StateChange, StateKeeper } from "./state-keeper.ts";

/** A data directory that can't be used. The message is a sentence that names it. */
export class DataDirectoryError extends Error {
  override readonly name = "DataDirectoryError";
}

const fileName = "mock-server.sqlite";

/** Says that a database is one of ours: "GDmk" in ASCII. */
const applicationId = 0x47446d6b;
const formatVersion = 1;

const tables = `
  CREATE TABLE records (
    position INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    parent TEXT,
    value TEXT NOT NULL,
    UNIQUE (kind, id)
  );
  CREATE INDEX children ON records (kind, parent) WHERE parent IS NOT NULL;
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`;

/** How a clock was left, in milliseconds. */
interface ClockSetting {
  frozenAt: number | null;
  /** How far it is ahead of the machine's time while it runs. */
  offset: number;
}

/** A folder in which a server keeps its state, for a later one to go on with. It belongs to one server at a time, until that closes it or dies. */
export class DataDirectory implements StateKeeper {
  /** How many servers have had it before. */
  readonly earlierStarts: number;
  readonly #database: DatabaseSync;
  readonly #statements;

  private constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = {
      put: database.prepare(
        "INSERT INTO records (kind, id, parent, value) VALUES (?, ?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET parent = excluded.parent, value = excluded.value",
      ),
      remove: database.prepare("DELETE FROM records WHERE kind = ? AND id = ?"),
      removeChildren: database.prepare("DELETE FROM records WHERE kind = ? AND parent = ?"),
      read: database.prepare("SELECT value FROM records WHERE kind = ? ORDER BY position"),
      readSetting: database.prepare("SELECT value FROM settings WHERE name = ?"),
      writeSetting: database.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)"),
    };
    this.earlierStarts = this.#setting<number>("starts") ?? 0;
    this.#set("starts", this.earlierStarts + 1);
  }

  /** Opens a folder, which is made if it isn't there. Its file can be read by nobody else. @throws {DataDirectoryError} */
  static async open(folder: string): Promise<DataDirectory> {
    const file = join(folder, fileName);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // A file that is there is not opened: closing it would end the lock that another server of this process has on it.
      if (!existsSync(file)) closeSync(openSync(file, "ax", 0o600));
      chmodSync(file, 0o600);
    } catch (error) {
      throw new DataDirectoryError(`The data directory ${folder} can't be used: ${(error as Error).message}.`);
    }
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(file);
    try {
      prepare(database, folder);
      return new DataDirectory(database);
    } catch (error) {
      database.close();
      throw error instanceof DataDirectoryError ? error : new DataDirectoryError(reasonOf(error, folder, file));
    }
  }

  content(): StateContent {
    const read = <Kind extends keyof StateContent>(kind: string) =>
      this.#statements.read.all(kind).map(({ value }) => JSON.parse(value as string)) as StateContent[Kind];
    const deployments = read<"deployments">("deployments");
    const revisions = read<"revisions">("revisions");
    const names = Object.keys(collectionKeys);
    return {
      sequence: [...deployments, ...revisions].reduce((most, { sequence }) => Math.max(most, sequence), 0),
      deployments,
      revisions,
      commits: read<"commits">("commits"),
      collections: Object.fromEntries(
        names.map((name) => [name, read(name)]),
      ) as unknown as StateContent["collections"],
    };
  }

  write(...changes: readonly StateChange[]): void {
    this.#together(() => {
      for (const change of changes) this.#apply(change);
    });
  }

  replaceWith(changes: Iterable<StateChange>): void {
    this.#together(() => {
      this.#database.exec("DELETE FROM records");
      for (const change of changes) this.#apply(change);
    });
  }

  /** A clock that goes on where that of the server before was left, as if it had run on; it is kept as well. */
  clock(): Clock {
    const { frozenAt, offset } = this.#setting<ClockSetting>("clock") ?? { frozenAt: null, offset: 0 };
    const clock = createClock(() => Date.now() + offset);
    if (frozenAt !== null) clock.freeze(frozenAt);
    clock.onMove(() => {
      const now = clock.now();
      this.#set("clock", { frozenAt: clock.frozen ? now : null, offset: now - Date.now() } satisfies ClockSetting);
    });
    return clock;
  }

  /** Lets another server have it. What is written from now on isn't kept. */
  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #apply(change: StateChange): void {
    const { kind, id } = change;
    const { put, remove, removeChildren } = this.#statements;
    if ("value" in change) put.run(kind, id, change.parent ?? null, JSON.stringify(change.value));
    else {
      remove.run(kind, id);
      for (const children of change.without ?? []) removeChildren.run(children, id);
    }
  }

  /** All of it is kept or nothing. */
  #together(write: () => void): void {
    if (!this.#database.isOpen) return;
    this.#database.exec("BEGIN");
    try {
      write();
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #setting<Value>(name: string): Value | undefined {
    const row = this.#statements.readSetting.get(name);
    return row === undefined ? undefined : (JSON.parse(row.value as string) as Value);
  }

  #set(name: string, value: unknown): void {
    if (this.#database.isOpen) this.#statements.writeSetting.run(name, JSON.stringify(value));
  }
}

/** Takes a database for itself, and makes its tables if it is new. */
function prepare(database: DatabaseSync, folder: string): void {
  // The lock is held until the database is closed, and the system lets it go when the process dies.
  database.exec(
    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN EXCLUSIVE",
  );
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  const isEmpty = pragma("schema_version") === 0;
  if (isEmpty) {
    database.exec(`${tables} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${formatVersion}`);
  } else if (pragma("application_id") !== applicationId) {
    throw new DataDirectoryError(`${join(folder, fileName)} isn't a mock server's: name another data directory.`);
  } else if (pragma("user_version") !== formatVersion) {
    throw new DataDirectoryError(
      `The data directory ${folder} was written in format ${pragma("user_version")}, and this version reads format ${formatVersion}: use the version that wrote it, or another directory.`,
    );
  }
  database.exec("COMMIT");
}

/** SQLite's result codes for what somebody else holds, and for what is no database. */
const busy = 5;
const notADatabase = 26;

function reasonOf(error: unknown, folder: string, file: string): string {
  const { errcode, message } = error as { errcode?: number; message: string };
  if (errcode === busy) {
    return `The data directory ${folder} is in use by another mock server: stop that one, or name another directory.`;
  }
  if (errcode === notADatabase) return `${file} isn't a mock server's: name another data directory.`;
  return `The data directory ${folder} can't be used: ${message}.`;
}
