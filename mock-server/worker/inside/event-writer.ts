import type { StreamMode } from "../../agent-server/engine/stream-mode.ts";
import type { Calls } from "../calls.ts";
import type { CallHandle, ServerMethods, StreamedEvent, WorkerMethods } from "../protocol.ts";

/** Events of this many characters are sent without waiting for more. */
const batchSize = 64 * 1024;
/** With more characters on their way, the graph's stream isn't read on. */
const maxUnderWay = 1024 * 1024;

/** Sends the events of a run to the server, many at a time. */
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
  write(mode: StreamMode, event: string, data: string): void {
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

  /** Whether so much is under way that {@link room} is to be waited for. */
  get isFull(): boolean {
    return this.#underWay > maxUnderWay;
  }

  /** Resolves when the server has taken what is under way. */
  async room(): Promise<void> {
    await this.#published;
  }
}
