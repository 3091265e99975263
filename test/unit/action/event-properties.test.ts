import fc from "fast-check";
import { expect, test } from "vitest";
import type { WorkflowEvent } from "../../../action/event.ts";
import { operations } from "../../../action/operations.ts";
import { isFromFork } from "../../../action/pull-request.ts";
import type { Target, TargetInputs } from "../../../action/target.ts";
import { decide, expectedOutcome, outcomeOf, situation } from "../../kit/action/event-outcome.ts";
import { lookedUpPullRequest, pullRequestNumber, sampleOf } from "../../kit/action/event-samples.ts";
import { allowedOutcome, eventTable } from "../../kit/action/event-table.ts";
import { headSha, mergeSha, pullRequest, someEvent } from "../../kit/action/events.ts";

const inputs: fc.Arbitrary<TargetInputs> = fc.record({
  operation: fc.constantFrom(...operations),
  ref: fc.constantFrom(undefined, "main", "refs/heads/next", "refs/tags/v3"),
  sha: fc.constantFrom(undefined, "b".repeat(40)),
  pullRequest: fc.constantFrom(undefined, pullRequestNumber, 34),
  needsRef: fc.boolean(),
});

/** A pull request as the API shows it: any state, of this repository or from a fork. */
const found = fc
  .record({
    state: fc.constantFrom("open", "closed"),
    head: fc.constantFrom("acme/agents", "mallory/agents", null),
  })
  .map(({ state, head }) => ({ ...(pullRequest("", { head }).pull_request as Record<string, unknown>), state }));

const junk = fc.oneof(
  fc.constantFrom(undefined, null, "", 0, -1, 7, 1.5, true, [], {}, "refs/heads/main", "mallory/agents"),
  fc.constantFrom("created", "published", "completed", "success", "closed", "opened", "merge_group", "push"),
  fc.jsonValue({ maxDepth: 1 }),
);

/** The payload with a value replaced, anywhere in it. */
const damage = fc.array(fc.tuple(fc.nat(), junk), { maxLength: 4 });

function damaged(payload: Readonly<Record<string, unknown>>, hits: readonly [number, unknown][]) {
  const copy = structuredClone(payload) as Record<string, unknown>;
  for (const [at, value] of hits) {
    const places = placesIn(copy);
    const place = places[at % Math.max(1, places.length)];
    if (place !== undefined) place.parent[place.key] = structuredClone(value);
  }
  return copy;
}

function placesIn(parent: Record<string, unknown>): { parent: Record<string, unknown>; key: string }[] {
  return Object.entries(parent).flatMap(([key, value]) => [
    { parent, key },
    ...(typeof value === "object" && value !== null ? placesIn(value as Record<string, unknown>) : []),
  ]);
}

const refs = fc.constantFrom(undefined, "", "refs/heads/main", "refs/notes/x", "refs/pull/12/merge", "refs/tags/v9");

test("a payload as GitHub sends it is decided by the table, whatever the inputs are", () => {
  fc.assert(
    fc.property(situation, inputs, found, ({ row, type }, given, other) => {
      const event = someEvent(sampleOf(row, type));
      const pull = event.name === "issue_comment" && given.pullRequest !== 34 ? lookedUpPullRequest(row.when) : other;
      expect(outcomeOf(decide(event, given, pull))).toBe(expectedOutcome(row, given, pull));
    }),
    { numRuns: 20_000 },
  );
});

test("a damaged payload never does more than the event may do", () => {
  fc.assert(
    fc.property(situation, inputs, found, damage, refs, ({ row, type }, given, pull, hits, ref) => {
      const sample = someEvent(sampleOf(row, type));
      const event = { ...sample, ref: ref ?? sample.ref, payload: damaged(sample.payload, hits) };
      const target = decide(event, given, pull);
      checkOutcome(event, given, target);
      checkNumber(event, given, target);
      checkSource(event, given, pull, target);
    }),
    { numRuns: 50_000 },
  );
});

/** Whether an outcome is harmless, or allowed for some case of the same event with the same inputs. */
function checkOutcome(event: WorkflowEvent, given: TargetInputs, target: Target): void {
  const { operation } = given;
  const outcome = outcomeOf(target);
  const ofEvent = eventTable.filter((row) => row.event === event.name);
  const may = ofEvent.flatMap((row) =>
    operation === "sweep"
      ? []
      : [false, given.pullRequest !== undefined].map((pullRequest) =>
          allowedOutcome(row, operation, { ref: given.ref !== undefined, pullRequest, image: !given.needsRef }),
        ),
  );
  expect(operation === "sweep" ? ["sweep"] : ["notice", "refuse", ...may]).toContain(outcome);
}

/** A preview belongs to the pull request that the event or the input names. */
function checkNumber({ payload, ref }: WorkflowEvent, given: TargetInputs, target: Target): void {
  if (!("pullRequest" in target) || target.pullRequest === undefined) return;
  const { pull_request: pull, issue, number } = payload as Record<string, { number?: unknown } | undefined>;
  expect([
    given.pullRequest,
    pull?.number,
    issue?.number,
    number,
    Number(/^refs\/pull\/(\d+)/.exec(ref)?.[1]),
  ]).toContain(target.pullRequest);
}

/** Unmerged code never reaches the main deployment, and a fork's code isn't deployed at all. */
function checkSource(event: WorkflowEvent, given: TargetInputs, pull: Record<string, unknown>, target: Target): void {
  if (!("source" in target)) return;
  const { ref, commit } = target.source;
  if (target.kind === "deploy" && given.ref === undefined) expect(ref).not.toBe("feature/search");
  if (target.kind === "deploy" && given.sha === undefined) {
    expect([undefined, mergeSha, ...(event.name === "workflow_run" ? [headSha] : [])]).toContain(commit);
  }
  if (target.kind !== "preview" || given.ref !== undefined) return;
  const payload = event.payload.pull_request as Record<string, unknown> | undefined;
  expect(isFromFork(event.name.startsWith("pull_request") ? (payload ?? {}) : pull, event)).toBe(false);
}
