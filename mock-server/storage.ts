import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { agentSchema } from "./agent-server/persistence/agent-schema.ts";
import { ControlPlaneStore } from "./control-plane/store/control-plane-store.ts";
import { takeOverFormat1 } from "./control-plane/store/format-1.ts";
import { controlPlaneSchema } from "./control-plane/store/schema.ts";
import { type Clock, type ClockState, createClock } from "./kit/clock.ts";
import { createIdSource, type IdSource } from "./kit/ids.ts";
import { hasFields, isNumber, isText } from "./kit/store/damaged-record.ts";
import { DataDirectory } from "./kit/store/data-directory.ts";
import { Database } from "./kit/store/database.ts";
import { Settings, settingsSchema } from "./kit/store/settings.ts";

/** The storage of a server, and what it continues from earlier servers. */
export interface Storage {
  readonly store: ControlPlaneStore;
  /** Continues the clock of the previous server as if it had kept running. A move that can't be stored is not made. */
  readonly clock: Clock;
  /** With a seed, never repeats identifiers of earlier servers. */
  readonly ids: IdSource;
  /** Signs upload URLs and authentications, so that they stay valid after a restart. 32 bytes. */
  readonly signingKey: Buffer;
  /** Whether the data outlives the process. */
  readonly isPersistent: boolean;
  readonly database: Database;
  /** Secret values of earlier servers, for redaction. */
  readonly secrets: readonly string[];
  /** Releases the data directory for another server. Later writes are not stored. */
  close(): void;
}

const schemas = [settingsSchema, controlPlaneSchema, agentSchema];

/**
 * Opens a data directory or, without one, a database in memory.
 * @throws {DataDirectoryError} for a directory that can't be used.
 */
export async function openStorage(folder: string | undefined, seed: number | string | undefined): Promise<Storage> {
  if (folder === undefined) {
    const database = await Database.inMemory(schemas);
    return { ...readFrom(database, undefined, seed), database, isPersistent: false, close: () => database.close() };
  }
  const directory = await DataDirectory.open(folder, schemas, (database, root) =>
    takeOverFormat1(database, new ControlPlaneStore(database, join(root, "uploads"))),
  );
  const { database } = directory;
  try {
    const read = readFrom(database, join(directory.folder, "uploads"), seed);
    return { ...read, database, isPersistent: true, close: () => directory.close() };
  } catch (error) {
    directory.close();
    throw directory.errorOf(error);
  }
}

function readFrom(database: Database, uploadsFolder: string | undefined, seed: number | string | undefined) {
  const settings = new Settings(database);
  const store = new ControlPlaneStore(database, uploadsFolder);
  const clock = createClock({
    state: settings.get<ClockState>("clock", hasFields({ offset: isNumber })),
    keep: (state) => settings.set("clock", state),
  });
  return {
    store,
    clock,
    ids: idsOf(seed, settings, database),
    signingKey: signingKeyOf(settings),
    secrets: store.secrets(),
  };
}

function idsOf(seed: number | string | undefined, settings: Settings, database: Database): IdSource {
  if (seed === undefined) return createIdSource();
  // In data directories of format 1, each start drew from a seed of its own.
  const starts = settings.get<number>("starts", isNumber) ?? 0;
  const series = starts === 0 ? String(seed) : `${seed}/${starts}`;
  const counter = `draws/${series}`;
  return createIdSource(series, {
    start: settings.get<number>(counter, isNumber) ?? 0,
    reserve(draws) {
      settings.set(counter, draws);
      return !database.isInTransaction;
    },
  });
}

function signingKeyOf(settings: Settings): Buffer {
  const known = settings.get<string>("signing-key", isText);
  if (known !== undefined) return Buffer.from(known, "base64");
  const key = randomBytes(32);
  settings.set("signing-key", key.toString("base64"));
  return key;
}
