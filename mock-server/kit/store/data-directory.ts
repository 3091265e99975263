import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { DamagedRecordError } from "./damaged-record.ts";
import { Database, NewerSchemaError, type Schema } from "./database.ts";

/** A data directory that can't be used. The message is a sentence that names it. */
export class DataDirectoryError extends Error {
  override readonly name = "DataDirectoryError";
}

const fileName = "mock-server.sqlite";

/** Says that a database is one of ours: "GDmk" in ASCII. */
const applicationId = 0x47446d6b;

/** Of the file as a whole: format 1 had one table of records as JSON, since format 2 each part has tables of its own with versions of their own. */
const formatVersion = 2;

/** A folder with a database that outlives the server. It belongs to one server at a time, until that closes it or dies. */
export class DataDirectory {
  /** Absolute, without symbolic links. */
  readonly folder: string;
  readonly database: Database;
  readonly #file: string;
  /** As it was named. */
  readonly #given: string;

  private constructor(given: string, file: string, database: Database) {
    this.#given = given;
    this.folder = resolve(file, "..");
    this.#file = file;
    this.database = database;
    openFiles.add(file);
  }

  /**
   * Opens a folder, which is made if it doesn't exist, and brings its tables to what `schemas` say. Only its owner can read the files. A file that isn't ours, that a newer version wrote or that is
   * damaged is left as it is. `takeOver` moves what an earlier format kept, once the tables are there; when it throws, the file stays in that format.
   * @throws {DataDirectoryError}
   */
  static async open(folder: string, schemas: readonly Schema[], takeOver: TakeOver = () => {}): Promise<DataDirectory> {
    const { DatabaseSync } = await import("node:sqlite");
    let connection: DatabaseSync | undefined;
    let restore = () => {};
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = join(realpathSync(resolve(folder)), fileName);
      if (openFiles.has(file)) throw new DataDirectoryError(inUse(folder));
      const isNew = checkFile(file, folder);
      const { mode } = statSync(file);
      restore = () => chmodSync(file, mode);
      chmodSync(file, 0o600);
      connection = new DatabaseSync(file);
      const database = prepare(connection, isNew, schemas, (database) => takeOver(database, resolve(file, "..")));
      return new DataDirectory(folder, file, database);
    } catch (error) {
      connection?.close();
      if (error instanceof NewerSchemaError) restore();
      throw error instanceof DataDirectoryError ? error : new DataDirectoryError(reasonOf(error, folder));
    }
  }

  /** What says of this directory why it can't be used. */
  errorOf(error: unknown): DataDirectoryError {
    return new DataDirectoryError(reasonOf(error, this.#given));
  }

  /** Lets another server have it. Idempotent. */
  close(): void {
    if (!this.database.isOpen) return;
    this.database.close();
    openFiles.delete(this.#file);
  }
}

/** Moves what an earlier format kept into the tables; `folder` is the directory's. */
export type TakeOver = (database: Database, folder: string) => void;

/** The files that servers of this process have. SQLite's lock would end with the first of two connections that is closed. */
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
  if (version <= formatVersion) return false;
  throw new DataDirectoryError(
    `The data directory ${folder} was written in format ${version}, and this version reads formats up to ${formatVersion}: use the version that wrote it, or another directory.`,
  );
}

/** Locks a database and makes or updates its tables. A new one gets its head before it has a log beside it, so that the file says at once whose it is. */
function prepare(
  connection: DatabaseSync,
  isNew: boolean,
  schemas: readonly Schema[],
  takeOver: (database: Database) => void,
): Database {
  // The lock is held until the database is closed, and the system releases it when the process dies.
  connection.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  if (isNew) connection.exec(`PRAGMA application_id = ${applicationId}`);
  connection.exec("COMMIT; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  const damage = connection.prepare("PRAGMA quick_check(1)").get()?.quick_check;
  if (damage !== "ok") throw new Error(`the file is damaged (${damage})`);
  const database = Database.over(connection);
  database.transaction(() => {
    database.migrate(schemas);
    takeOver(database);
    connection.exec(`PRAGMA user_version = ${formatVersion}`);
  });
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return database;
}

const inUse = (folder: string) =>
  `The data directory ${folder} is in use by another mock server: stop that one, or name another directory.`;

/** SQLite's result codes, without the further bits that some have. */
const [busyCode, readOnlyCode, damagedCode, fullCode, notDatabaseCode] = [5, 8, 11, 13, 26];

/** Why a folder can't be opened, in a sentence. */
function reasonOf(error: unknown, folder: string): string {
  const { code, errcode = 0, message } = error as { code?: string; errcode?: number; message: string };
  if (error instanceof NewerSchemaError) {
    return `The data directory ${folder} was written by a newer version: use that one, or another directory. ${message}`;
  }
  if (error instanceof DamagedRecordError) return `The data directory ${folder} can't be used. ${message}`;
  switch (errcode % 256) {
    case busyCode:
      return inUse(folder);
    case readOnlyCode:
      return `The data directory ${folder} can't be written to: make it writable, or name another directory.`;
    case damagedCode:
    case notDatabaseCode:
      return `The data directory ${folder} can't be used: the file is damaged (${message}).`;
    case fullCode:
      return `The data directory ${folder} can't be used: the disk is full.`;
  }
  if (code === "EACCES" || code === "EROFS" || code === "EPERM") {
    return `The data directory ${folder} can't be written to: make it writable, or name another directory.`;
  }
  if (code === "ENOSPC") return `The data directory ${folder} can't be used: the disk is full.`;
  return `The data directory ${folder} can't be used: ${message}.`;
}
