import type { StreamMode } from "../../agent-server/engine/stream-mode.ts";
import type { Calls } from "../calls.ts";
import type { EventsNotice, ScopeId } from "../protocol.ts";

/** Events of this many characters are sent without waiting for more. */
const batchSize = 64 * 1024;
/** With more characters on their way, the graph's stream isn't read on. */
const mostUnderWay = 1024 * 1024;

/** Sends the events of a run to the server, many at a time. */
export class EventWriter {
  readonly #calls: Calls;
  readonly #scope: ScopeId;
  #events: string[] = [];
  #size = 0;
  #underWay = 0;
  #isScheduled = false;
  #wake: (() => void) | undefined;

  constructor(calls: Calls, scope: ScopeId) {
    this.#calls = calls;
    this.#scope = scope;
  }

  /** Sends an event; `data` is JSON. */
  write(mode: StreamMode, event: string, data: string): void {
    this.#events.push(mode, event, data);
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
    const notice: EventsNotice = { scope: this.#scope, events: this.#events, size: this.#size };
    this.#underWay += this.#size;
    this.#events = [];
    this.#size = 0;
    this.#calls.notify("events", notice);
  }

  /** The server has taken events of so many characters. */
  taken(size: number): void {
    this.#underWay -= size;
    if (this.#underWay > mostUnderWay) return;
    this.#wake?.();
    this.#wake = undefined;
  }

  /** Whether so much is under way that {@link room} is to be waited for. */
  get isFull(): boolean {
    return this.#underWay > mostUnderWay;
  }

  async room(): Promise<void> {
    if (!this.isFull) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
