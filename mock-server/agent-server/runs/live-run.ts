import type { EventLog } from "../../kit/event-log.ts";
import { failureOf } from "../../kit/failure.ts";
import { isTooLarge } from "../../kit/http/too-large.ts";
import type { Fields, Interrupt } from "../engine/contract.ts";
import type { RunError } from "../persistence/records.ts";
import type { Job } from "./run-queue.ts";
import type { RunStart } from "./run-schemas.ts";

/** What happens to a run that is cancelled: it stays as interrupted, or it goes with all that it did, or with its thread. */
export type CancelAction = "interrupt" | "rollback" | "delete";

/** Why a run was aborted. */
export class RunCancelled extends Error {
  readonly action: CancelAction;

  constructor(action: CancelAction) {
    super("The run was cancelled.");
    this.name = "RunCancelled";
    this.action = action;
  }
}

/** How a run has ended. */
export type RunResult =
  | { kind: "success"; values: Fields; interrupts?: Interrupt[] }
  | { kind: "error"; error: RunError }
  | { kind: "cancelled" };

/** A run that hasn't ended. */
export class LiveRun implements Job {
  readonly runId: string;
  readonly threadId: string;
  readonly start: RunStart;
  readonly log: EventLog;
  readonly abort = new AbortController();
  readonly done: Promise<RunResult>;
  /** Takes back the alarm of a run that begins later. */
  unschedule: (() => void) | undefined;
  startedAt: string | undefined;
  /** Whether the result can be joined for a while after the run, which its thread doesn't outlive. */
  keepsResult = false;
  #finish!: (result: RunResult) => void;

  constructor(runId: string, threadId: string, start: RunStart, log: EventLog) {
    this.runId = runId;
    this.threadId = threadId;
    this.start = start;
    this.log = log;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** Ends the streams, which come after everything else: whoever reads the run then sees it ended. */
  finish(result: RunResult): void {
    this.log.end();
    this.#finish(result);
  }
}

/** What a failure is called and says. */
export function runError(thrown: unknown): RunError {
  if (isTooLarge(thrown))
    return {
      error: "StateTooLarge",
      message: "The run's state or an event of it is larger than the server can hold in one piece (512 Mi characters).",
    };
  const { name, message } = failureOf(thrown);
  return { error: name, message };
}
