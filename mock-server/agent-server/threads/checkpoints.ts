import { HttpError } from "../../kit/http/http-error.ts";
import type { CheckpointStore, Graph, StoredCheckpoint, StoredWrite } from "../engine/contract.ts";
import type { CheckpointTable } from "../persistence/checkpoint-table.ts";
import type { CheckpointRecord } from "../persistence/records.ts";

/** A client's choice of a checkpoint; without an id, the newest. */
export interface CheckpointChoice {
  checkpoint_id?: string | undefined;
  checkpoint_ns?: string | undefined;
}

/** A checkpoint id from a request; `undefined` for an empty string. */
export function namedId(id: unknown): string | undefined {
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** The newest checkpoint of a namespace, or the one with the id. @throws {HttpError} 404 for an unknown id. */
export function findCheckpoint(
  checkpoints: CheckpointTable,
  threadId: string,
  engine: Graph["engine"] | undefined,
  { checkpoint_id, checkpoint_ns: namespace }: CheckpointChoice,
): CheckpointRecord | undefined {
  const id = namedId(checkpoint_id);
  const filter = { id, namespace: id === undefined ? (namespace ?? "") : namespace };
  const found = engine && checkpoints.search(threadId, engine, filter, 1)[0];
  if (!found && id !== undefined) throw new HttpError(404, `Checkpoint ${id} of thread ${threadId} not found.`);
  return found;
}

/** A thread's checkpoints as an engine reads and writes them. Writes after the signal is aborted are dropped. */
export function checkpointStore(
  checkpoints: CheckpointTable,
  threadId: string,
  engine: Graph["engine"],
  signal?: AbortSignal,
): CheckpointStore {
  return {
    get: async (namespace, id) => checkpoints.get(threadId, engine, namespace, id),
    list: async (namespace) => checkpoints.list(threadId, engine, namespace),
    async put(checkpoint) {
      if (!signal?.aborted) checkpoints.put(threadId, engine, checkpoint);
    },
    writes: async (namespace, checkpointId) => checkpoints.writes(threadId, namespace, checkpointId),
    async putWrites(writes) {
      if (!signal?.aborted) checkpoints.putWrites(threadId, writes);
    },
  };
}

/** Like {@link checkpointStore}, but buffers writes until `keep` is called. */
export function heldCheckpoints(
  checkpoints: CheckpointTable,
  threadId: string,
  engine: Graph["engine"],
): CheckpointStore & { keep(): void } {
  const written = checkpointStore(checkpoints, threadId, engine);
  const held: StoredCheckpoint[] = [];
  const heldWrites: StoredWrite[] = [];
  const newestFirst = (a: StoredCheckpoint, b: StoredCheckpoint) => (a.id === b.id ? 0 : a.id < b.id ? 1 : -1);
  const heldOf = (namespace?: string) =>
    held.filter((checkpoint) => namespace === undefined || checkpoint.namespace === namespace).sort(newestFirst);
  return {
    async get(namespace, id) {
      const found = heldOf(namespace).find((checkpoint) => id === undefined || checkpoint.id === id);
      const before = await written.get(namespace, id);
      return found && before ? [found, before].sort(newestFirst)[0] : (found ?? before);
    },
    async list(namespace) {
      const newer = heldOf(namespace);
      const places = new Set(newer.map((checkpoint) => `${checkpoint.namespace}/${checkpoint.id}`));
      const older = (await written.list(namespace)).filter(({ namespace, id }) => !places.has(`${namespace}/${id}`));
      return [...newer, ...older].sort(newestFirst);
    },
    async put(checkpoint) {
      const index = held.findIndex(({ namespace, id }) => namespace === checkpoint.namespace && id === checkpoint.id);
      held.splice(index < 0 ? held.length : index, 1, checkpoint);
    },
    async writes(namespace, checkpointId) {
      const found = new Map<string, StoredWrite>();
      const placeOf = ({ taskId, index }: StoredWrite) => `${taskId}/${index}`;
      for (const write of await written.writes(namespace, checkpointId)) found.set(placeOf(write), write);
      for (const write of heldWrites) {
        if (write.namespace !== namespace || write.checkpointId !== checkpointId) continue;
        if (write.index < 0 || !found.has(placeOf(write))) found.set(placeOf(write), write);
      }
      return [...found.values()];
    },
    async putWrites(writes) {
      heldWrites.push(...writes);
    },
    keep() {
      for (const checkpoint of held) checkpoints.put(threadId, engine, checkpoint);
      checkpoints.putWrites(threadId, heldWrites);
    },
  };
}
