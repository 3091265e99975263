import type { BaseCheckpointSaver } from "@langchain/langgraph";
import type { StoredWrite } from "../../agent-server/engine/contract.ts";
import type { FoundCheckpoint } from "../protocol.ts";

export type Saver = BaseCheckpointSaver<number>;
export type Config = Parameters<Saver["getTuple"]>[0];
export type Tuple = NonNullable<Awaited<ReturnType<Saver["getTuple"]>>>;

/** A value as the library's serializer writes it. */
interface Serialized {
  type: string;
  data: Uint8Array;
}

/** Converts between the library's checkpoints and what the server stores. Runs in the worker. */
export class CheckpointCodec {
  readonly #serializer: Saver["serde"];
  readonly #threadId: string;

  constructor(serializer: Saver["serde"], threadId: string) {
    this.#serializer = serializer;
    this.#threadId = threadId;
  }

  /** A stored checkpoint and its writes as the library reads them. */
  async tuple({ checkpoint: stored, writes }: FoundCheckpoint, config?: Config): Promise<Tuple> {
    const reference = (id: string) => ({
      configurable: { thread_id: this.#threadId, checkpoint_ns: stored.namespace, checkpoint_id: id },
    });
    const sorted = [...writes].sort(inOrder);
    return {
      config: config ?? reference(stored.id),
      checkpoint: (await this.#parsed(stored.content)) as Tuple["checkpoint"],
      metadata: stored.metadata as unknown as NonNullable<Tuple["metadata"]>,
      pendingWrites: await Promise.all(
        sorted.map(
          async ({ taskId, channel, content }): Promise<[string, string, unknown]> => [
            taskId,
            channel,
            await this.#parsed(content),
          ],
        ),
      ),
      ...(stored.parentId === null ? {} : { parentConfig: reference(stored.parentId) }),
    };
  }

  /** @throws {Error} `SerializationError`, naming the field of the state that can't be serialized. */
  async content(checkpoint: Parameters<Saver["put"]>[1]): Promise<Serialized> {
    try {
      return await this.#serialized(checkpoint);
    } catch (error) {
      for (const [channel, value] of Object.entries(checkpoint.channel_values)) await this.value(value, channel);
      throw error;
    }
  }

  /** @throws {Error} `SerializationError`, naming the channel. */
  async value(value: unknown, channel: string): Promise<Serialized> {
    try {
      return await this.#serialized(value);
    } catch (error) {
      const reason = (error as Error).message;
      throw Object.assign(new Error(`The field "${channel}" of the state can't be stored: ${reason}`), {
        name: "SerializationError",
      });
    }
  }

  async #serialized(value: unknown): Promise<Serialized> {
    const [type, data] = await this.#serializer.dumpsTyped(value);
    return { type, data };
  }

  #parsed(content: unknown): Promise<unknown> {
    const { type, data } = content as Serialized;
    return this.#serializer.loadsTyped(type, data);
  }
}

/** The order in which the library applies writes: by task path, task id and index of the write. */
function inOrder(a: StoredWrite, b: StoredWrite): number {
  if (a.taskPath !== b.taskPath) return byCodePoint(a.taskPath, b.taskPath);
  if (a.taskId !== b.taskId) return byCodePoint(a.taskId, b.taskId);
  return a.index - b.index;
}

function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
