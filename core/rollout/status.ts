import type { RevisionStatus, revisionStatuses } from "../client/wire/revisions.ts";

/** What a status means to a client that waits for the revision. */
export type StatusMeaning = "waiting" | "deployed" | "failed" | "superseded" | "unsettled" | "unknown";

const meanings = {
  CREATING: "waiting",
  QUEUED: "waiting",
  AWAITING_BUILD: "waiting",
  BUILDING: "waiting",
  AWAITING_DEPLOY: "waiting",
  DEPLOYING: "waiting",
  CREATE_FAILED: "failed",
  BUILD_FAILED: "failed",
  DEPLOY_FAILED: "failed",
  DEPLOYED: "deployed",
  SKIPPED: "superseded",
  // The service's own clients treat these as transient.
  INTERRUPTED: "unsettled",
  UNKNOWN: "unsettled",
} as const satisfies Record<(typeof revisionStatuses)[number], StatusMeaning>;

/** Statuses before there is a build, and so no build log; the platform resolves a branch to a commit in them. */
const beforeBuild: ReadonlySet<string> = new Set(["CREATING", "QUEUED", "AWAITING_BUILD"]);

/** The meaning of a status. Any status that contains FAILED is a failure; a wait outlasts one that isn't known. */
export function meaningOf(status: RevisionStatus): StatusMeaning {
  if (Object.hasOwn(meanings, status)) return meanings[status as keyof typeof meanings];
  return status.includes("FAILED") ? "failed" : "unknown";
}

/** Whether a revision in this status has no build yet. */
export function isBeforeBuild(status: RevisionStatus): boolean {
  return beforeBuild.has(status);
}

/** Whether a revision in this status will never go live. */
export function isFinalFailure(status: RevisionStatus): boolean {
  const meaning = meaningOf(status);
  return meaning === "failed" || meaning === "superseded" || status === "INTERRUPTED";
}
