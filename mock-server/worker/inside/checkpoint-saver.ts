import type { Fields, StoredWrite } from "../../agent-server/engine/contract.ts";
import type { Calls } from "../calls.ts";
import type { CallHandle, ServerMethods, WorkerMethods } from "../protocol.ts";
import { CheckpointCodec, type Config, type Saver, type Tuple } from "./checkpoint-codec.ts";
import type { Library } from "./library.ts";

type WriteIndexes = Record<string, number>;

/** The indexes of special writes, of which a task has one of each kind; numbered as in the library. */
const reservedIndexes: WriteIndexes = { __error__: -1, __scheduled__: -2, __interrupt__: -3, __resume__: -4 };

/**
 * A checkpointer, in the worker, that stores the checkpoints of one thread in the server, for the call that `handle`
 * names.
 */
export function threadSaver(
  library: Library,
  calls: Calls<WorkerMethods, ServerMethods>,
  { handle, threadId, runId }: { handle: CallHandle; threadId: string; runId: string | null },
): Saver {
  class ThreadSaver extends library.BaseCheckpointSaver<number> {
    readonly #codec = new CheckpointCodec(this.serde, threadId);

    override async getTuple(config: Config): Promise<Tuple | undefined> {
      const configurable = config.configurable ?? {};
      const namespace = configurable.checkpoint_ns ?? "";
      const id: string | undefined = configurable.checkpoint_id || undefined;
      const found = await calls.call("getCheckpoint", { handle, namespace, id });
      return found && this.#codec.tuple(found, id === undefined ? undefined : config);
    }

    override async *list(
      config: Config,
      { limit, before, filter }: Parameters<Saver["list"]>[1] = {},
    ): AsyncGenerator<Tuple> {
      const found = await calls.call("listCheckpoints", {
        handle,
        namespace: config.configurable?.checkpoint_ns,
        before: before?.configurable?.checkpoint_id,
        limit,
        filter,
      });
      const wanted: string | undefined = config.configurable?.checkpoint_id;
      for (const one of found) if (!wanted || one.checkpoint.id === wanted) yield this.#codec.tuple(one);
    }

    override async put(
      config: Config,
      checkpoint: Parameters<Saver["put"]>[1],
      metadata: Parameters<Saver["put"]>[2],
    ): Promise<Config> {
      const namespace: string = config.configurable?.checkpoint_ns ?? "";
      calls.notify("putCheckpoint", {
        handle,
        checkpoint: {
          id: checkpoint.id,
          parentId: config.configurable?.checkpoint_id ?? null,
          namespace,
          metadata: JSON.parse(JSON.stringify({ ...configMetadata(config), ...metadata })),
          createdAt: checkpoint.ts,
          runId,
          content: await this.#codec.content(checkpoint),
        },
      });
      return { configurable: { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpoint.id } };
    }

    override async putWrites(
      config: Config,
      writes: Parameters<Saver["putWrites"]>[1],
      taskId: string,
      taskPath = "",
    ): Promise<void> {
      const { checkpoint_ns: namespace = "", checkpoint_id: checkpointId } = config.configurable ?? {};
      const stored: StoredWrite[] = [];
      for (const [index, [channel, value]] of writes.entries()) {
        stored.push({
          namespace,
          checkpointId,
          taskId,
          taskPath,
          index: reservedIndexes[channel] ?? index,
          channel,
          runId,
          content: await this.#codec.value(value, channel),
        });
      }
      calls.notify("putWrites", { handle, writes: stored });
    }

    override async deleteThread(): Promise<void> {
      throw new Error("A graph can't delete its own thread.");
    }
  }
  return new ThreadSaver();
}

/**
 * The part of a run's config that its checkpoints carry: the metadata, and what is configured except objects such as
 * the user.
 */
function configMetadata({ configurable = {}, metadata = {} }: Config): Fields {
  const configured = Object.entries(configurable).filter(
    ([name, value]) => !name.startsWith("__") && !name.startsWith("checkpoint_") && typeof value !== "object",
  );
  return { ...Object.fromEntries(configured), ...metadata };
}
