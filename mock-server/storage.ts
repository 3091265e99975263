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

/** What a server keeps its data in, and what follows from the data of earlier servers. */
export interface Storage {
  readonly store: ControlPlaneStore;
  /** Continues from where the clock of the server before was left, as if it had run on; a move that can't be kept isn't made. */
  readonly clock: Clock;
  /** Of a seed, identifiers that no earlier server has given out. */
  readonly ids: IdSource;
  /** What signs upload addresses and authentications, so that they hold beyond a start. 32 bytes. */
  readonly signingKey: Buffer;
  /** Whether the data outlives the process. */
  readonly isKept: boolean;
  readonly database: Database;
  /** Values that earlier servers were given and that must not be shown. */
  readonly secrets: readonly string[];
  /** Lets another server have the data directory. What is written from now on isn't kept. */
  close(): void;
}

const schemas = [settingsSchema, controlPlaneSchema, agentSchema];

/** Opens a data directory or, without one, a database in memory. @throws {DataDirectoryError} for a directory that can't be used. */
export async function openStorage(folder: string | undefined, seed: number | string | undefined): Promise<Storage> {
  if (folder === undefined) {
    const database = await Database.inMemory(schemas);
    return { ...readFrom(database, undefined, seed), database, isKept: false, close: () => database.close() };
  }
  const directory = await DataDirectory.open(folder, schemas, (database, root) =>
    takeOverFormat1(database, new ControlPlaneStore(database, join(root, "uploads"))),
  );
  const { database } = directory;
  try {
    const read = readFrom(database, join(directory.folder, "uploads"), seed);
    return { ...read, database, isKept: true, close: () => directory.close() };
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
