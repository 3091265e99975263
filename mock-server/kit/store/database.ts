import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { DamagedRecordError, isOfMalformedJson, type JsonColumns } from "./damaged-record.ts";

/** The tables of one part of a server, as they were made and changed over the versions. */
export interface Schema {
  /** Names the part in the database. */
  readonly name: string;
  /** The first makes the tables; each further one brings those of the version before to the next. Never changed once released. */
  readonly migrations: readonly Migration[];
  /** Functions that its statements call, by name: of the same arguments, each makes the same value. */
  readonly functions?: Readonly<Record<string, (...values: Value[]) => Value>>;
}

/** SQL, or what does the work of SQL that needs more. Runs in a transaction. */
export type Migration = string | ((database: Database) => void);

/** A database whose tables are newer than this version knows. */
export class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";
}

/** A write that couldn't be kept, such as on a full disk. Nothing of it was. */
export class StorageError extends Error {
  override readonly name = "StorageError";
}

const fullCode = 13;

/** SQLite's result codes for what is wrong with the storage, and the beginnings of sentences about it. */
const storageFaults = new Map([
  [8, "The data directory can't be written to"],
  [10, "The data directory can't be read or written"],
  [fullCode, "The disk is full"],
]);

/** An error of SQLite or of a file; as a {@link StorageError} where it is about the storage. */
export function described(error: unknown): unknown {
  const { errcode = 0, code } = error as { errcode?: number; code?: string };
  const fault = storageFaults.get(code === "ENOSPC" ? fullCode : errcode % 256);
  return fault ? new StorageError(`${fault}: nothing of the change was kept.`, { cause: error }) : error;
}

/** Whether an error is that the database, or a statement of it, has been closed. */
export function isOfClosedDatabase(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "ERR_INVALID_STATE";
}

/** A row that the rules of its table don't allow. */
export function isConstraintViolation(error: unknown): error is Error {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === constraintCode;
}
/** SQLite's result code; its further bits say which constraint that is. */
const constraintCode = 19;

/** A value that a column takes. */
export type Value = SQLInputValue;

/** A row, by the names of its columns. Text is `string`, numbers are `number`, bytes are `Uint8Array`. */
export type Row = Record<string, unknown>;

/** A synchronous SQLite database. Statements are prepared once for each text, so texts are constants and values are
 * parameters, each a plain `?`: Node.js 22 doesn't take numbered ones by position. */
export class Database {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #described = new Map<string, JsonColumns>();
  #committed: (() => void)[] = [];

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** A database in memory, which ends with the process. */
  static async inMemory(schemas: readonly Schema[]): Promise<Database> {
    const { DatabaseSync } = await import("node:sqlite");
    const database = new Database(new DatabaseSync(":memory:"));
    database.migrate(schemas);
    return database;
  }

  /** Takes over an open connection. {@link migrate} makes its tables. */
  static over(connection: DatabaseSync): Database {
    return new Database(connection);
  }

  /** Makes or updates the tables. @throws {NewerSchemaError} when a newer version wrote them: then nothing is changed. */
  migrate(schemas: readonly Schema[]): void {
    this.transaction(() => {
      this.#database.exec(
        "CREATE TABLE IF NOT EXISTS schemas (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT",
      );
      for (const { name, migrations, functions = {} } of schemas) {
        for (const [called, compute] of Object.entries(functions)) {
          this.#database.function(called, { deterministic: true }, compute);
        }
        const version = this.get<{ version: number }>("SELECT version FROM schemas WHERE name = ?", name)?.version ?? 0;
        if (version > migrations.length) {
          throw new NewerSchemaError(
            `The tables of ${name} have version ${version}, and this version knows ${migrations.length}.`,
          );
        }
        for (const migration of migrations.slice(version)) {
          if (typeof migration === "string") this.#database.exec(migration);
          else migration(this);
        }
        this.run("INSERT OR REPLACE INTO schemas (name, version) VALUES (?, ?)", name, migrations.length);
      }
    });
  }

  /** Says where a table has JSON, so that statements which fail of it can name the record. */
  describe(json: JsonColumns): void {
    this.#described.set(json.table, json);
  }

  /** Runs a statement. Returns how many rows it has changed. @throws {StorageError}; {DamagedRecordError} where it looks into JSON that is none */
  run(sql: string, ...values: readonly Value[]): number {
    return this.#attempt(() => Number(this.#prepare(sql).run(...values).changes));
  }

  /** The first row that a query finds. @throws {DamagedRecordError} as {@link run} */
  get<Found extends object = Row>(sql: string, ...values: readonly Value[]): Found | undefined {
    return this.#attempt(() => this.#prepare(sql).get(...values) as Found | undefined);
  }

  /** All rows that a query finds. @throws {DamagedRecordError} as {@link run} */
  all<Found extends object = Row>(sql: string, ...values: readonly Value[]): Found[] {
    return this.#attempt(() => this.#prepare(sql).all(...values) as Found[]);
  }

  /** All rows that a query finds, each with its values in the order of the columns, which is quicker than by names. A query is read in one of the two ways only. @throws {DamagedRecordError} as {@link run} */
  rows(sql: string, ...values: readonly Value[]): unknown[][] {
    return this.#attempt(() => {
      const statement = this.#prepare(sql);
      statement.setReturnArrays(true);
      return statement.all(...values) as unknown as unknown[][];
    });
  }

  #attempt<Result>(statement: () => Result): Result {
    try {
      return statement();
    } catch (error) {
      throw (isOfMalformedJson(error) && this.#findDamage()) || described(error);
    }
  }

  /** The first record of those described that has a column which isn't JSON. */
  #findDamage(): DamagedRecordError | undefined {
    for (const { table, key, columns } of this.#described.values()) {
      for (const column of columns) {
        const query = `SELECT ${key} AS id FROM ${table} WHERE NOT json_valid("${column}") LIMIT 1`;
        const found = this.#prepare(query).get() as { id: string } | undefined;
        if (found) return new DamagedRecordError({ table, id: found.id, column }, "isn't JSON");
      }
    }
    return undefined;
  }

  /** Keeps all that `work` writes or, when it throws, none of it. `work` must not wait. Nested calls belong to the outermost. @throws {StorageError} */
  transaction<Result>(work: () => Result): Result {
    if (this.#database.isTransaction) return work();
    this.#prepare("BEGIN IMMEDIATE").run();
    let result: Result;
    try {
      result = work();
      this.#prepare("COMMIT").run();
    } catch (error) {
      this.#committed = [];
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw described(error);
    }
    const committed = this.#committed;
    this.#committed = [];
    for (const follow of committed) follow();
    return result;
  }

  /** Whether what is written now can still be undone. */
  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Calls `follow` once the transaction is committed, and never when it is undone; at once outside of a transaction. */
  afterCommit(follow: () => void): void {
    if (this.#database.isTransaction) this.#committed.push(follow);
    else follow();
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  /** Idempotent. */
  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
