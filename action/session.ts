import type { ControlPlane } from "../core/client/client.ts";
import type { Redactor } from "../core/redact.ts";
import type { Console } from "./console.ts";
import type { WorkflowEvent } from "./event.ts";
import type { GitHub } from "./github/client.ts";
import type { Inputs } from "./inputs.ts";
import type { Progress } from "./progress.ts";
import type { Report } from "./report.ts";
import type { Runner } from "./runner.ts";

/** The context of one run. */
export interface Session {
  runner: Runner;
  client: ControlPlane;
  inputs: Inputs;
  event: WorkflowEvent;
  console: Console;
  /** Redacts logs: knows the declared secrets and the values in the platform's environment. */
  redactor: Redactor;
  /** Redacts outputs, summary and comment: knows only the declared secrets. */
  declaredSecrets: Redactor;
  progress: Progress;
  report: Report;
  github: GitHub | undefined;
  /** Aborts when the run is cancelled. */
  signal: AbortSignal;
}
