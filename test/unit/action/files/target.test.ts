import { expect, test } from "vitest";
import { targetOf } from "../../../../action/event-target.ts";
import { fileTargetOf } from "../../../../action/file/target.ts";
import { operations } from "../../../../action/operations.ts";
import { sampleOf } from "../../../kit/action/event-samples.ts";
import { eventTable } from "../../../kit/action/event-table.ts";
import { headSha, mergeSha, pullRequest, someEvent } from "../../../kit/action/events.ts";

const decide = (event: Parameters<typeof someEvent>[0], operation: (typeof operations)[number] = "auto") =>
  fileTargetOf(someEvent(event), { operation, pullRequest: undefined });
const run = { event: "push", conclusion: "success", head_branch: "main", head_sha: headSha };
const workflowRun = { action: "completed", workflow_run: { ...run, head_repository: { full_name: "acme/agents" } } };

test.each([
  ["a push", { name: "push" }, { kind: "deploy", source: { ref: "main", commit: mergeSha } }],
  [
    "a release",
    { name: "release", payload: { action: "published", release: { tag_name: "v1" } } },
    { kind: "deploy", source: { ref: "refs/tags/v1", commit: mergeSha } },
  ],
  ["a schedule", { name: "schedule" }, { kind: "deploy", source: { ref: "main", commit: mergeSha } }],
  [
    "an open pull request",
    { name: "pull_request", payload: pullRequest("opened") },
    { kind: "plan", source: { ref: "main", commit: undefined }, pullRequest: 12 },
  ],
  [
    "a closed pull request",
    { name: "pull_request", payload: pullRequest("closed") },
    { kind: "delete-preview", pullRequest: 12 },
  ],
  ["a fork", { name: "pull_request", payload: pullRequest("opened", { head: "mallory/agents" }) }, { kind: "skip" }],
  [
    "the end of a workflow",
    { name: "workflow_run", payload: workflowRun },
    { kind: "deploy", source: { ref: "main", commit: headSha } },
  ],
])("under auto, %s leads to what a file needs", (_, event, target) => {
  expect(decide(event)).toMatchObject(target);
});

test("a preview is applied on request only, of the head of the pull request", () => {
  const event = { name: "pull_request", payload: pullRequest("opened") };
  expect(decide(event, "preview")).toMatchObject({
    kind: "preview",
    source: { ref: "feature/search", commit: headSha },
    pullRequest: 12,
  });
});

test("a deleted branch deletes no deployment of a file", () => {
  const event = { name: "push", payload: { deleted: true, ref: "refs/heads/next" } };
  expect(decide(event, "delete")).toMatchObject({ kind: "refuse", input: "operation" });
});

test("whoever gets nothing from a single deployment gets nothing from a file", () => {
  for (const row of eventTable) {
    for (const type of row.types.length === 0 ? [undefined] : row.types) {
      const event = someEvent(sampleOf(row, type));
      for (const operation of operations) {
        const single = targetOf(event, { operation, pullRequest: undefined, needsRef: false });
        const { kind } = fileTargetOf(event, { operation, pullRequest: undefined });
        if (single.kind === "skip") expect(kind, `${row.event} ${type} ${row.when} ${operation}`).toBe("skip");
      }
    }
  }
});
