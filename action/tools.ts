import type { Redactor } from "../core/redact.ts";
import type { Console } from "./console.ts";
import type { Outputs } from "./outputs.ts";
import type { Runner } from "./runner.ts";

/** What every run writes to. */
export interface Tools {
  runner: Runner;
  /** Redacts logs: knows the declared secrets and the values in the platform's environment. */
  redactor: Redactor;
  /** Redacts outputs, summary and comment: knows only the declared secrets. */
  declaredSecrets: Redactor;
  console: Console;
  outputs: Outputs;
  /** Aborts when the run is cancelled. */
  signal: AbortSignal;
}
