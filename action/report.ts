import type { Change } from "../core/plan.ts";
import type { Result } from "./operations.ts";

/** One status of the rollout and how long it lasted. `durationMs` is missing for the one that it ended or was left in. */
export interface StatusStep {
  status: string;
  startedAtMs: number;
  durationMs: number;
}

/** What is known about the run so far: what the outputs, the summary and the comment are made from. Its texts are redacted when written. */
export interface Report {
  result?: Result;
  /** What the run was asked to do, for people: `deploy`, `preview of #12`. */
  task: string;
  name: string;
  isPreview: boolean;
  deploymentId?: string;
  revisionId?: string;
  url?: string;
  webUrl?: string;
  ref?: string;
  /** The commit that the run was for. */
  expectedCommit?: string;
  /** The commit that the revision was made of. */
  commit?: string;
  status?: string;
  created?: boolean;
  steps: StatusStep[];
  /** In a word or two sentences what happened, above all why it failed. */
  message?: string;
  logTail: readonly string[];
  plan?: { action: string; changes: readonly Change[] };
  /** The revision that a failed one was rolled back to. */
  rolledBackTo?: string;
  /** Previews that a sweep deleted. */
  swept?: readonly string[];
  runUrl: string;
}
