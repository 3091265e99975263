import type { ControlPlane } from "../../core/client/client.ts";
import type { DeclarativeFile } from "../../core/declare/file/declarative-file.ts";
import type { FileOptions } from "../../core/reconcile/file/declared.ts";
import type { FileIdentity } from "../../core/reconcile/file/owner.ts";
import type { Settings } from "../../core/settings.ts";
import type { WorkflowEvent } from "../event.ts";
import type { GitHub } from "../github/client.ts";
import type { Tools } from "../tools.ts";
import type { FileInputs } from "./inputs.ts";
import type { FileProgress } from "./progress.ts";
import type { FileReport } from "./report.ts";

/** The context of a run of a file. */
export interface FileSession extends Tools {
  client: ControlPlane;
  settings: Settings;
  inputs: FileInputs;
  event: WorkflowEvent;
  github: GitHub | undefined;
  report: FileReport;
  progress: FileProgress;
  /** Where the file lies, for the owner of what it declares. */
  identity: FileIdentity;
  /** Without deployments where a deletion does without them. */
  file: DeclarativeFile;
  connect: FileOptions["connect"];
}
