import type { EventLog } from "../../kit/event-log.ts";
import { isTooLarge } from "../../kit/http/too-large.ts";
import type { AgentRuntime } from "../agent-runtime.ts";
import type { Fields } from "../engine/contract.ts";
import type { JoinedRun } from "./run-view.ts";

/** What ends the keeping of a result, whichever comes first. */
export interface EndedRunLimits {
  /** In milliseconds of the server's clock. @default 60000 */
  keptMs: number;
  /** @default 1000 */
  runs: number;
  /** Of results and events, in characters. @default 32 Mi */
  size: number;
}

const defaultLimits: EndedRunLimits = { keptMs: 60_000, runs: 1000, size: 32 * 1024 * 1024 };

/** A run that has left nothing behind but its result. */
export interface EndedRun extends JoinedRun {
  /** The metadata that its thread had. */
  metadata: Fields;
  /** What a response that waited for it has as its body, as JSON. */
  json: string;
  log: EventLog;
}

interface Kept extends EndedRun {
  until: number;
  size: number;
}

/** The results of runs without a thread of their own, kept for a while so that a client whose connection was cut at the end can still join. In memory. */
export class EndedRuns {
  readonly #runtime: Pick<AgentRuntime, "clock" | "alarms">;
  readonly #limits: EndedRunLimits;
  /** Oldest first. */
  readonly #runs = new Map<string, Kept>();
  #size = 0;
  #hasAlarm = false;

  constructor(runtime: Pick<AgentRuntime, "clock" | "alarms">, limits: Partial<EndedRunLimits> = {}) {
    this.#runtime = runtime;
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** Keeps a run with `result`, unless that is too large. */
  add(run: Omit<EndedRun, "json">, result: object): void {
    let json: string;
    try {
      json = JSON.stringify(result);
    } catch (error) {
      if (isTooLarge(error)) return;
      throw error;
    }
    const size = json.length + run.log.keptSize;
    if (size > this.#limits.size) return;
    this.#runs.set(run.run_id, { ...run, json, size, until: this.#runtime.clock.now() + this.#limits.keptMs });
    this.#size += size;
    this.#trim();
  }

  get(runId: string): EndedRun | undefined {
    this.#trim();
    return this.#runs.get(runId);
  }

  /** Drops those that `isChosen` chooses. */
  remove(isChosen: (run: EndedRun) => boolean): void {
    for (const run of this.#runs.values()) if (isChosen(run)) this.#drop(run);
  }

  #trim(): void {
    const now = this.#runtime.clock.now();
    for (const run of this.#runs.values()) {
      const isOver = run.until <= now || this.#runs.size > this.#limits.runs || this.#size > this.#limits.size;
      if (!isOver) break;
      this.#drop(run);
    }
    this.#setAlarm();
  }

  #drop({ run_id: runId, size }: Kept): void {
    this.#runs.delete(runId);
    this.#size -= size;
  }

  /** Frees the memory of a server that has nothing more to do. */
  #setAlarm(): void {
    const [oldest] = this.#runs.values();
    if (this.#hasAlarm || !oldest) return;
    this.#hasAlarm = true;
    this.#runtime.alarms.set(oldest.until, () => {
      this.#hasAlarm = false;
      this.#trim();
    });
  }
}
