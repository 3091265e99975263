import type { RevisionStatus } from "../client/wire/revisions.ts";

/** What a status means to a client that waits for the revision. */
export type StatusMeaning = "waiting" | "deployed" | "failed" | "superseded" | "unsettled" | "unknown";

const meanings: Readonly<Record<string, StatusMeaning>> = {
  CREATING: "waiting",
  QUEUED: "waiting",
  AWAITING_BUILD: "waiting",
  BUILDING: "waiting",
  AWAITING_DEPLOY: "waiting",
  DEPLOYING: "waiting",
  DEPLOYED: "deployed",
  SKIPPED: "superseded",
  // The service's own clients treat these as transient.
  INTERRUPTED: "unsettled",
  UNKNOWN: "unsettled",
};

/** The meaning of a status. Any status that contains FAILED is a failure; a wait outlasts one that isn't known. */
export function meaningOf(status: RevisionStatus): StatusMeaning {
  if (Object.hasOwn(meanings, status)) return meanings[status] as StatusMeaning;
  return status.includes("FAILED") ? "failed" : "unknown";
}

/** Whether a revision in this status will never go live. */
export function isFinalFailure(status: RevisionStatus): boolean {
  const meaning = meaningOf(status);
  return meaning === "failed" || meaning === "superseded" || status === "INTERRUPTED";
}
