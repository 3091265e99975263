/** What a run does; `auto` takes it from the event. */
export const operations = ["auto", "deploy", "preview", "delete", "plan", "redeploy", "sweep"] as const;
export type Operation = (typeof operations)[number];

/** How a run ended. `started`: the rollout was begun and not waited for. */
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
