import type { EventLog } from "../../kit/event-log.ts";
import { failureOf, shownPlace } from "../../kit/failure.ts";
import { isTooLarge } from "../../kit/http/too-large.ts";
import type { Fields, Interrupt } from "../engine/contract.ts";
import type { RunError } from "../persistence/records.ts";
import type { Job } from "./run-queue.ts";
import type { RunStart } from "./run-schemas.ts";

/** How a run is cancelled: it is kept as interrupted, undone and deleted, or deleted with its thread. */
export type CancelAction = "interrupt" | "rollback" | "delete";

/** The abort reason of a cancelled run. */
export class RunCancelled extends Error {
  readonly action: CancelAction;

  constructor(action: CancelAction) {
    super("The run was cancelled.");
    this.name = "RunCancelled";
    this.action = action;
  }
}

/** The outcome of a run. `place` is for the log: where in a project's code the error came from. */
export type RunResult =
  | { kind: "success"; values: Fields; interrupts?: Interrupt[] }
  | { kind: "error"; error: RunError; place: string }
  | { kind: "cancelled" };

/** A run that hasn't ended, queued or in progress. */
export class LiveRun implements Job {
  readonly runId: string;
  readonly threadId: string;
  readonly start: RunStart;
  readonly log: EventLog;
  readonly abort = new AbortController();
  readonly done: Promise<RunResult>;
  /** Cancels the alarm of a run with a start time. */
  unschedule: (() => void) | undefined;
  startedAt: string | undefined;
  /** The name of its graph. */
  graphId = "";
  /** Whether an earlier server ended while the run was in progress. */
  isCutOff = false;
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

  /** Ends the streams. Called last, so that a client that reads the run afterwards sees that it has ended. */
  finish(result: RunResult): void {
    this.log.end();
    this.#finish(result);
  }
}

/** The result of a run that failed with what was thrown. */
export function failedRun(thrown: unknown): RunResult {
  return { kind: "error", error: runError(thrown), place: shownPlace(thrown) };
}

/** The name and message of a failure, for clients. */
export function runError(thrown: unknown): RunError {
  if (isTooLarge(thrown))
    return {
      error: "StateTooLarge",
      message: "The run's state or an event of it is larger than the server can hold in one piece (512 Mi characters).",
    };
  const { name, message } = failureOf(thrown);
  return { error: name, message };
}
