import type { ProgressEvent } from "../../rollout/waiting.ts";
import type { ContentChange } from "../agent-content.ts";
import type { ReconcileOptions } from "../reconcile.ts";
import type { FileOptions } from "./declared.ts";

export interface ApplyFileOptions extends FileOptions {
  /** Deployments that may be in progress at once. @default 10 */
  parallel?: number | undefined;
  /** Limits of each rollout. */
  limits?: ReconcileOptions["limits"];
  /** Called with each progress event and the key, or the name, of its deployment. */
  onDeploymentProgress?: ((key: string, event: ProgressEvent) => void) | undefined;
  /** Called as soon as a deployment has its outcome. */
  onOutcome?: ((outcome: Outcome) => void) | undefined;
}

/** How one deployment of a file ended. */
export interface Outcome {
  /** The key in the file; the name for what it no longer declares. */
  key: string;
  name: string;
  /**
   * `skipped`: a deployment that it depends on isn't live, or the run was interrupted before it began; nothing was sent.
   * `interrupted`: the platform continues what was started.
   */
  result: "created" | "updated" | "unchanged" | "deleted" | "failed" | "skipped" | "interrupted";
  deploymentId?: string | undefined;
  /** The revision that was made or followed. */
  revisionId?: string | undefined;
  /** Address of the agent server, once it is live. */
  url?: string | undefined;
  content: readonly ContentChange[];
  /** Why it failed or was skipped. */
  error?: Error | undefined;
  durationMs: number;
}

/** Whether the deployment serves what the file declares. */
export function isLiveOutcome({ result }: Outcome): boolean {
  return result === "created" || result === "updated" || result === "unchanged";
}

/** The outcome of a deployment to which nothing was sent. */
export function skipped(key: string, name: string, message: string): Outcome {
  return { key, name, result: "skipped", content: [], error: new Error(message), durationMs: 0 };
}
