import type { BaseCheckpointSaver } from "@langchain/langgraph";
import type { Fields, StoredWrite } from "../../agent-server/engine/contract.ts";
import type { Calls } from "../calls.ts";
import type { CallHandle, FoundCheckpoint, ServerMethods, WorkerMethods } from "../protocol.ts";
import type { Library } from "./library.ts";

/** A value as the library's serializer writes it. */
interface Serialized {
  type: string;
  data: Uint8Array;
}

type Saver = BaseCheckpointSaver<number>;
type Config = Parameters<Saver["getTuple"]>[0];
type Tuple = NonNullable<Awaited<ReturnType<Saver["getTuple"]>>>;
type WriteIndexes = Record<string, number>;

/** Marks of which a task has one of a kind, as the library numbers them. */
const markIndexes: WriteIndexes = { __error__: -1, __scheduled__: -2, __interrupt__: -3, __resume__: -4 };

/** A checkpointer whose checkpoints are kept by the server, for the thread of the call that a handle names. */
export function threadSaver(
  library: Library,
  calls: Calls<WorkerMethods, ServerMethods>,
  { handle, threadId, runId }: { handle: CallHandle; threadId: string; runId: string | null },
): Saver {
  class ThreadSaver extends library.BaseCheckpointSaver<number> {
    override async getTuple(config: Config): Promise<Tuple | undefined> {
      const configurable = config.configurable ?? {};
      const namespace = configurable.checkpoint_ns ?? "";
      const id: string | undefined = configurable.checkpoint_id || undefined;
      const found = await calls.call("getCheckpoint", { handle, namespace, id });
      return found && this.#tuple(found, id === undefined ? undefined : config);
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
      for (const one of found) if (!wanted || one.checkpoint.id === wanted) yield this.#tuple(one);
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
          metadata: JSON.parse(JSON.stringify({ ...keptOf(config), ...metadata })),
          createdAt: checkpoint.ts,
          runId,
          content: await this.#checkpointContent(checkpoint),
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
          index: markIndexes[channel] ?? index,
          channel,
          runId,
          content: await this.#serialized(value, channel),
        });
      }
      calls.notify("putWrites", { handle, writes: stored });
    }

    override async deleteThread(): Promise<void> {
      throw new Error("A graph can't delete its own thread.");
    }

    async #tuple({ checkpoint: stored, writes }: FoundCheckpoint, config?: Config): Promise<Tuple> {
      const reference = (id: string) => ({
        configurable: { thread_id: threadId, checkpoint_ns: stored.namespace, checkpoint_id: id },
      });
      const sorted = [...writes].sort(inOrder);
      return {
        config: config ?? reference(stored.id),
        checkpoint: (await this.#value(stored.content)) as Tuple["checkpoint"],
        metadata: stored.metadata as unknown as NonNullable<Tuple["metadata"]>,
        pendingWrites: await Promise.all(
          sorted.map(
            async ({ taskId, channel, content }): Promise<[string, string, unknown]> => [
              taskId,
              channel,
              await this.#value(content),
            ],
          ),
        ),
        ...(stored.parentId === null ? {} : { parentConfig: reference(stored.parentId) }),
      };
    }

    async #checkpointContent(checkpoint: Parameters<Saver["put"]>[1]): Promise<Serialized> {
      try {
        return await this.#dumped(checkpoint);
      } catch (error) {
        for (const [channel, value] of Object.entries(checkpoint.channel_values))
          await this.#serialized(value, channel);
        throw error;
      }
    }

    async #serialized(value: unknown, channel: string): Promise<Serialized> {
      try {
        return await this.#dumped(value);
      } catch (error) {
        const reason = (error as Error).message;
        throw Object.assign(new Error(`The field "${channel}" of the state can't be kept: ${reason}`), {
          name: "SerializationError",
        });
      }
    }

    async #dumped(value: unknown): Promise<Serialized> {
      const [type, data] = await this.serde.dumpsTyped(value);
      return { type, data };
    }

    #value(content: unknown): Promise<unknown> {
      const { type, data } = content as Serialized;
      return this.serde.loadsTyped(type, data);
    }
  }
  return new ThreadSaver();
}

/** What is kept with a checkpoint of a run's config: its metadata, and what is configured, but for objects such as a user. */
function keptOf({ configurable = {}, metadata = {} }: Config): Fields {
  const configured = Object.entries(configurable).filter(
    ([name, value]) => !name.startsWith("__") && !name.startsWith("checkpoint_") && typeof value !== "object",
  );
  return { ...Object.fromEntries(configured), ...metadata };
}

/** The order in which the library applies writes: by the task's path, its id, and the number of the write. */
function inOrder(a: StoredWrite, b: StoredWrite): number {
  if (a.taskPath !== b.taskPath) return byCodePoint(a.taskPath, b.taskPath);
  if (a.taskId !== b.taskId) return byCodePoint(a.taskId, b.taskId);
  return a.index - b.index;
}

function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
