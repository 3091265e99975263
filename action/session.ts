import type { ControlPlane } from "../core/client/client.ts";
import type { WorkflowEvent } from "./event.ts";
import type { GitHub } from "./github/client.ts";
import type { Inputs } from "./inputs.ts";
import type { Progress } from "./progress.ts";
import type { Report } from "./report.ts";
import type { Tools } from "./tools.ts";

/** The context of one run. */
export interface Session extends Omit<Tools, "outputs"> {
  client: ControlPlane;
  inputs: Inputs;
  event: WorkflowEvent;
  progress: Progress;
  report: Report;
  github: GitHub | undefined;
}
