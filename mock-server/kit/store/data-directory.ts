import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { DamagedRecordError } from "./damaged-record.ts";
import { Database, NewerSchemaError, type Schema } from "./database.ts";

/** Thrown for a data directory that can't be used. The message is a sentence that names it. */
export class DataDirectoryError extends Error {
  override readonly name = "DataDirectoryError";
}

const fileName = "mock-server.sqlite";

/** Identifies a database as ours: "GDmk" in ASCII. */
const applicationId = 0x47446d6b;

/**
 * Format of the file: format 1 had one table of records as JSON; since format 2 each part has its own tables with their
 * own versions.
 */
const formatVersion = 2;

/** A folder with a database that outlives the server. Locked by one server at a time, until that closes it or dies. */
export class DataDirectory {
  /** Absolute, without symbolic links. */
  readonly folder: string;
  readonly database: Database;
  readonly #file: string;
  /** As given by the user, for messages. */
  readonly #given: string;

  private constructor(given: string, file: string, database: Database) {
    this.#given = given;
    this.folder = resolve(file, "..");
    this.#file = file;
    this.database = database;
    openFiles.add(file);
  }

  /**
   * Opens a folder, creating it if necessary, and migrates its tables to `schemas`. Only the owner can read the files.
   * A file that isn't ours, is damaged or was written by a newer version is left unchanged. `takeOver` migrates the
   * data of an earlier format once the tables exist; when it throws, the file stays in that format.
   * @throws {DataDirectoryError}
   */
  static async open(folder: string, schemas: readonly Schema[], takeOver: TakeOver = () => {}): Promise<DataDirectory> {
    const { DatabaseSync } = await import("node:sqlite");
    let connection: DatabaseSync | undefined;
    let restore = () => {};
    try {
      createFolder(resolve(folder));
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

  /** Describes why this directory can't be used. */
  errorOf(error: unknown): DataDirectoryError {
    return new DataDirectoryError(reasonOf(error, this.#given));
  }

  /** Releases the directory for another server. Idempotent. */
  close(): void {
    if (!this.database.isOpen) return;
    this.database.close();
    openFiles.delete(this.#file);
  }
}

/**
 * Creates a folder with those around it, as far as they are missing. The recursive `mkdir` of Node.js never returns
 * where a file system such as /proc refuses a folder with ENOENT.
 * @throws {Error} where a file is in the way; a system error otherwise.
 */
function createFolder(folder: string): void {
  const present = statSync(folder, { throwIfNoEntry: false });
  if (present?.isDirectory()) return;
  if (present !== undefined) throw new Error(`${folder} is a file`);
  createFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** Migrates the data of an earlier format into the tables. */
export type TakeOver = (database: Database, folder: string) => void;

/** The files that are open in this process. Closing one of two connections would release SQLite's lock for both. */
const openFiles = new Set<string>();

/** The header of a SQLite database: its magic string, and the offsets of the two numbers for applications. */
const magic = "SQLite format 3\0";
const headLength = 100;
const versionAt = 60;
const applicationIdAt = 68;

/**
 * Checks a file without changing it, and creates an empty one if it doesn't exist. Returns whether it is empty.
 * @throws {DataDirectoryError}
 */
function checkFile(file: string, folder: string): boolean {
  const descriptor = existsSync(file) ? openSync(file, "r") : openSync(file, "wx+", 0o600);
  const head = Buffer.alloc(headLength);
  try {
    if (readSync(descriptor, head, 0, headLength, 0) === 0) return true;
  } finally {
    closeSync(descriptor);
  }
  if (head.toString("latin1", 0, magic.length) !== magic || head.readUInt32BE(applicationIdAt) !== applicationId) {
    throw new DataDirectoryError(`${join(folder, fileName)} isn't a mock server's: use another data directory.`);
  }
  const version = head.readUInt32BE(versionAt);
  if (version <= formatVersion) return false;
  throw new DataDirectoryError(
    `The data directory ${folder} was written in format ${version}, but this version reads formats up to ${formatVersion}: use the version that wrote it, or another directory.`,
  );
}

/**
 * Locks a database and creates or migrates its tables. A new one gets its header before its write-ahead log, so that
 * the file is recognizable at once.
 */
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
  `The data directory ${folder} is in use by another mock server: stop that one, or use another directory.`;

/** SQLite's primary result codes. */
const [busyCode, readOnlyCode, damagedCode, fullCode, notDatabaseCode] = [5, 8, 11, 13, 26];

/** A sentence about why a folder can't be opened. */
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
      return `The data directory ${folder} can't be written to: make it writable, or use another directory.`;
    case damagedCode:
    case notDatabaseCode:
      return `The data directory ${folder} can't be used: the file is damaged (${message}).`;
    case fullCode:
      return `The data directory ${folder} can't be used: the disk is full.`;
  }
  if (code === "ENOENT") return `The data directory ${folder} can't be created there: use another directory.`;
  if (code === "EACCES" || code === "EROFS" || code === "EPERM") {
    return `The data directory ${folder} can't be written to: make it writable, or use another directory.`;
  }
  if (code === "ENOSPC") return `The data directory ${folder} can't be used: the disk is full.`;
  return `The data directory ${folder} can't be used: ${message}.`;
}
