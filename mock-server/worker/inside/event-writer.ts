import type { Calls } from "../calls.ts";
import type { CallHandle, ServerMethods, StreamedEvent, WorkerMethods } from "../protocol.ts";

/** Size of a batch that is sent at once, in characters. */
const batchSize = 64 * 1024;
/** Unconfirmed characters above which the graph's stream pauses. */
const maxUnderWay = 1024 * 1024;

/** Sends the events of a run from the worker to the server, in batches. */
export class EventWriter {
  readonly #calls: Calls<WorkerMethods, ServerMethods>;
  readonly #handle: CallHandle;
  #events: StreamedEvent[] = [];
  #size = 0;
  #underWay = 0;
  #published: Promise<void> = Promise.resolve();
  #isScheduled = false;

  constructor(calls: Calls<WorkerMethods, ServerMethods>, handle: CallHandle) {
    this.#calls = calls;
    this.#handle = handle;
  }

  /** Sends an event; `data` is JSON. */
  write(mode: StreamedEvent[0], event: string, data: string): void {
    this.#events.push([mode, event, data]);
    this.#size += data.length;
    if (this.#size >= batchSize) this.flush();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.flush();
      });
    }
  }

  flush(): void {
    if (this.#events.length === 0) return;
    const size = this.#size;
    this.#underWay += size;
    this.#published = this.#calls.call("publish", { handle: this.#handle, events: this.#events }).then(() => {
      this.#underWay -= size;
    });
    this.#events = [];
    this.#size = 0;
  }

  /** Whether the caller must wait for {@link room}. */
  get isFull(): boolean {
    return this.#underWay > maxUnderWay;
  }

  /** Resolves when the server has confirmed all sent events. */
  async room(): Promise<void> {
    await this.#published;
  }
}
