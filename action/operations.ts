/** What a run does; `auto` derives it from the event. */
export const operations = ["auto", "deploy", "preview", "delete", "plan", "redeploy", "sweep"] as const;
export type Operation = (typeof operations)[number];

/** How a run ended. `started`: it started the rollout without waiting for it. */
export type Result =
  | "deployed"
  | "started"
  | "failed"
  | "superseded"
  | "interrupted"
  | "timed-out"
  | "cancelled"
  | "skipped"
  | "planned"
  | "deleted";

/** Results with which the step succeeds. */
export const successes: ReadonlySet<Result> = new Set(["deployed", "started", "skipped", "planned", "deleted"]);
