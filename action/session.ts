import type { ControlPlane } from "../core/client/client.ts";
import type { Redactor } from "../core/redact.ts";
import type { Console } from "./console.ts";
import type { WorkflowEvent } from "./event.ts";
import type { GitHub } from "./github/client.ts";
import type { Inputs } from "./inputs.ts";
import type { Progress } from "./progress.ts";
import type { Report } from "./report.ts";

/** What every step of one run works with. */
export interface Session {
  client: ControlPlane;
  inputs: Inputs;
  event: WorkflowEvent;
  console: Console;
  /** Every value that no log may show: declared secrets, and what the platform has in its environment. */
  redactor: Redactor;
  /** Only what was declared as a secret; it is kept out of outputs, summary and comment as well. */
  declaredSecrets: Redactor;
  progress: Progress;
  report: Report;
  github: GitHub | undefined;
  /** Aborts when the run is cancelled. */
  signal: AbortSignal;
}
