import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type Clock, type ClockState, createClock } from "../clock.ts";
import { collectionKeys } from "./collection-keys.ts";
import { createMemoryState } from "./memory.ts";
import type { State, StateContent } from "./repositories.ts";
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

/** A folder in which a server keeps its state, for a later one to go on with. It belongs to one server at a time, until that closes it or dies. */
export class DataDirectory implements StateKeeper {
  /** How many servers have had it before. */
  readonly earlierStarts: number;
  readonly #folder: string;
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #statements;

  private constructor(folder: string, file: string, database: DatabaseSync) {
    this.#folder = folder;
    this.#file = file;
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

  /**
   * Opens a folder, which is made if it isn't there. Its file can be read by nobody else. A file that isn't ours, or of another format, is left as it is.
   * @throws {DataDirectoryError}
   */
  static async open(folder: string): Promise<DataDirectory> {
    let database: DatabaseSync | undefined;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = join(realpathSync(resolve(folder)), fileName);
      if (openFiles.has(file)) throw new DataDirectoryError(inUse(folder));
      const isNew = checkFile(file, folder);
      chmodSync(file, 0o600);
      const { DatabaseSync } = await import("node:sqlite");
      if (openFiles.has(file)) throw new DataDirectoryError(inUse(folder));
      database = new DatabaseSync(file);
      prepare(database, isNew);
      const directory = new DataDirectory(folder, file, database);
      openFiles.add(file);
      return directory;
    } catch (error) {
      database?.close();
      throw error instanceof DataDirectoryError ? error : new DataDirectoryError(reasonOf(error, folder));
    }
  }

  /** A state that goes on with what is kept. @throws {DataDirectoryError} for what can't be read. */
  state(): State {
    try {
      return createMemoryState(this);
    } catch (error) {
      throw error instanceof DataDirectoryError ? error : new DataDirectoryError(reasonOf(error, this.#folder));
    }
  }

  /** @throws {DataDirectoryError} for what isn't JSON. */
  content(): StateContent {
    const read = <Kind extends keyof StateContent>(kind: string) =>
      this.#statements.read.all(kind).map(({ value }) => this.#parsed(value as string)) as StateContent[Kind];
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
    this.together(() => {
      for (const change of changes) this.#apply(change);
    });
  }

  replaceWith(changes: Iterable<StateChange>): void {
    this.together(() => {
      if (this.#database.isOpen) this.#database.exec("DELETE FROM records");
      for (const change of changes) this.#apply(change);
    });
  }

  together<Result>(work: () => Result): Result {
    if (!this.#database.isOpen || this.#database.isTransaction) return work();
    this.#database.exec("BEGIN");
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  /** A clock that goes on where that of the server before was left, as if it had run on; a move that can't be kept isn't made. */
  clock(): Clock {
    return createClock({
      state: this.#setting<ClockState>("clock"),
      keep: (state) => this.#set("clock", state),
    });
  }

  /** What signs upload addresses and authentications, so that they hold beyond a start. 32 bytes. */
  signingKey(): Buffer {
    const known = this.#setting<string>("signing-key");
    if (known !== undefined) return Buffer.from(known, "base64");
    const key = randomBytes(32);
    this.#set("signing-key", key.toString("base64"));
    return key;
  }

  /** Lets another server have it. What is written from now on isn't kept. */
  close(): void {
    if (!this.#database.isOpen) return;
    this.#database.close();
    openFiles.delete(this.#file);
  }

  #apply(change: StateChange): void {
    if (!this.#database.isOpen) return;
    const { kind, id } = change;
    const { put, remove, removeChildren } = this.#statements;
    if ("value" in change) put.run(kind, id, change.parent ?? null, JSON.stringify(change.value));
    else {
      remove.run(kind, id);
      for (const children of change.without ?? []) removeChildren.run(children, id);
    }
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new DataDirectoryError(reasonOf(error, this.#folder));
    }
  }

  #setting<Value>(name: string): Value | undefined {
    const row = this.#statements.readSetting.get(name);
    return row === undefined ? undefined : (this.#parsed(row.value as string) as Value);
  }

  #set(name: string, value: unknown): void {
    if (this.#database.isOpen) this.#statements.writeSetting.run(name, JSON.stringify(value));
  }
}

/** The files that servers of this process have. */
const openFiles = new Set<string>();

/** The head of a SQLite database, as its file format has it: how it begins, and where its two numbers for applications stand. */
const magic = "SQLite format 3\0";
const headLength = 100;
const versionAt = 60;
const applicationIdAt = 68;

/** Looks at a file without changing it, and makes an empty one where there is none. Returns whether it is empty. @throws {DataDirectoryError} */
function checkFile(file: string, folder: string): boolean {
  const descriptor = existsSync(file) ? openSync(file, "r") : openSync(file, "wx+", 0o600);
  const head = Buffer.alloc(headLength);
  try {
    if (readSync(descriptor, head, 0, headLength, 0) === 0) return true;
  } finally {
    closeSync(descriptor);
  }
  if (head.toString("latin1", 0, magic.length) !== magic || head.readUInt32BE(applicationIdAt) !== applicationId) {
    throw new DataDirectoryError(`${join(folder, fileName)} isn't a mock server's: name another data directory.`);
  }
  const version = head.readUInt32BE(versionAt);
  if (version === formatVersion) return false;
  throw new DataDirectoryError(
    `The data directory ${folder} was written in format ${version}, and this version reads format ${formatVersion}: use the version that wrote it, or another directory.`,
  );
}

/** Takes a database for itself, and makes its tables if it is new: before it has a log beside it, so that its head says at once whose it is. */
function prepare(database: DatabaseSync, isNew: boolean): void {
  // The lock is held until the database is closed, and the system lets it go when the process dies.
  database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  const isEmpty = isNew && Object.values(database.prepare("PRAGMA schema_version").get() ?? {})[0] === 0;
  if (isEmpty) {
    database.exec(`${tables} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${formatVersion}`);
  }
  database.exec("COMMIT; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
}

/** SQLite's result code for what somebody else holds. */
const busy = 5;

const inUse = (folder: string) =>
  `The data directory ${folder} is in use by another mock server: stop that one, or name another directory.`;

function reasonOf(error: unknown, folder: string): string {
  const { errcode, message } = error as { errcode?: number; message: string };
  return errcode === busy ? inUse(folder) : `The data directory ${folder} can't be used: ${message}.`;
}
