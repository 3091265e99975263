import { isFields } from "../engine/contract.ts";
import { textOf } from "../engine/messages.ts";
import type { LiveRun } from "../runs/live-run.ts";

/** A further piece of a reply, or the beginning of another one in its place. */
export interface ReplyPiece {
  text: string;
  append: boolean;
}

const replies = new WeakMap<LiveRun, LiveReply>();

/**
 * What a model writes in a run in progress, for readers that come and go at any pace: each gets all that was written
 * since it last read. Of several messages, the last to begin is the reply.
 */
export class LiveReply {
  #id: unknown;
  #text = "";
  /** Number of messages so far. */
  #count = 0;
  readonly #ids = new Set<unknown>();
  #changed = Promise.withResolvers<void>();
  #hasStarted = false;
  #hasEnded = false;

  private constructor(live: LiveRun) {
    this.#hasStarted = live.startedAt !== undefined;
    live.log.onPublish((event, data) => this.#take(event, data));
    void live.done.then(() => {
      this.#hasEnded = true;
      this.#wake();
    });
  }

  /** The reply of a run; from now on, if it wasn't followed before. */
  static of(live: LiveRun): LiveReply {
    const reply = replies.get(live) ?? new LiveReply(live);
    replies.set(live, reply);
    return reply;
  }

  /** The text so far. */
  get text(): string {
    return this.#text;
  }

  /**
   * Yields `started` once, unless the reader knows that already (`isStarted`), and pieces, until the run ends or `signal`
   * is aborted.
   */
  async *read(isStarted: boolean, signal: AbortSignal): AsyncGenerator<"started" | ReplyPiece> {
    const wake = () => this.#wake();
    signal.addEventListener("abort", wake);
    try {
      let knowsStart = isStarted;
      let count = 0;
      let length = 0;
      while (!signal.aborted) {
        const { promise } = this.#changed;
        if (!knowsStart && this.#hasStarted) {
          knowsStart = true;
          yield "started";
        } else if (count < this.#count || length < this.#text.length) {
          const append = count === this.#count;
          const text = append ? this.#text.slice(length) : this.#text;
          count = this.#count;
          length = this.#text.length;
          yield { text, append };
        } else if (this.#hasEnded) return;
        else await promise;
      }
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }

  #take(event: string, data: string): void {
    if (event === "metadata") this.#hasStarted = true;
    else if (event === "messages") this.#takeMessage([JSON.parse(data)].flat()[0]);
    else return;
    this.#wake();
  }

  /** Takes a chunk of a message or, from a model that doesn't stream, a message. */
  #takeMessage(message: unknown): void {
    if (!isFields(message) || (message.type !== "ai" && message.type !== "AIMessageChunk")) return;
    const { id, content } = message;
    const text = textOf(content);
    if (text === "") return;
    if (this.#count > 0 && id === this.#id) {
      this.#text += text;
      return;
    }
    // Later pieces of a message that another one has overtaken.
    if (id !== undefined && id !== null && this.#ids.has(id)) return;
    this.#ids.add(id);
    this.#id = id;
    this.#text = text;
    this.#count++;
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
