import type { Outcome } from "../../core/reconcile/file/outcome.ts";
import type { ProgressEvent } from "../../core/rollout/waiting.ts";

/** A deployment that a run will touch. */
export interface Expected {
  key: string;
  dependsOn: readonly string[];
}

/** Shows a run as it goes. */
export interface Presenter {
  progress(key: string, event: ProgressEvent): void;
  outcome(outcome: Outcome): void;
  /** The first Ctrl-C. */
  interrupted(): void;
  /** All outcomes; nothing is shown after it. */
  end(outcomes: readonly Outcome[], exitCode: number): void;
  /** Gives the terminal back before the process ends at once. */
  close(): void;
}

/** Whether the output is a terminal that can be redrawn. CI systems may pretend to be one. */
export function isLive(env: NodeJS.ProcessEnv): boolean {
  const isCi = env.CI !== undefined && env.CI !== "" && env.CI !== "false" && env.CI !== "0";
  return process.stdout.isTTY === true && env.TERM !== "dumb" && !isCi;
}
