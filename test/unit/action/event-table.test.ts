import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { missingSecretsReason } from "../../../action/missing-secrets.ts";
import { operations } from "../../../action/operations.ts";
import { ownPullRequest } from "../../../action/pull-request.ts";
import { checkout } from "../../../scripts/run-command.ts";
import { documentedEvents } from "../../kit/action/documented-events.ts";
import { decide, outcomeOf } from "../../kit/action/event-outcome.ts";
import { lookedUpPullRequest, pullRequestNumber, sampleOf } from "../../kit/action/event-samples.ts";
import { allowedOutcome, eventTable } from "../../kit/action/event-table.ts";
import { someEvent } from "../../kit/action/events.ts";
import { renderEventTable } from "./event-table-markdown.ts";

const decided = operations.filter((operation) => operation !== "sweep");
const otherNumber = 34;

/** Every row with each of its activity types. */
const situations = eventTable.flatMap((row) =>
  (row.types.length === 0 ? [undefined] : row.types).map((type) => ({ row, type })),
);

test("the table has every event and activity type that GitHub documents, and no other", () => {
  const documented = Object.entries(documentedEvents)
    .filter(([event]) => event !== "workflow_call")
    .flatMap(([event, { types }]) => (types.length === 0 ? [event] : types.map((type) => `${event} ${type}`)));
  const inTable = situations.map(({ row, type }) => (type === undefined ? row.event : `${row.event} ${type}`));
  expect([...new Set(inTable)].sort()).toEqual(documented.sort());
});

test("the samples have the refs and pull requests that GitHub documents", () => {
  for (const { row, type } of situations) {
    const { ref, pullRequest } = documentedEvents[row.event] ?? {};
    const sample = someEvent(sampleOf(row, type));
    if (ref === "default branch") expect(sample.ref, row.event).toBe("refs/heads/main");
    const mayHaveNumber = pullRequest !== undefined && row.when !== "on an issue";
    expect(ownPullRequest(sample), `${row.event} ${row.when}`).toBe(mayHaveNumber ? pullRequestNumber : undefined);
  }
});

test.each(Object.entries(documentedEvents))(
  "a run that Dependabot started by %s lacks its key only where GitHub documents it",
  (name, { withoutSecrets = [] }) => {
    const user = { login: "dependabot[bot]" };
    const event = someEvent({ name, actor: user.login, payload: { sender: user, pull_request: { user } } });
    const reason = missingSecretsReason(event, { kind: "redeploy" });
    expect(reason !== undefined).toBe(withoutSecrets.includes("Dependabot"));
    expect(missingSecretsReason({ ...event, actor: "octocat", payload: {} }, { kind: "redeploy" })).toBeUndefined();
  },
);

test("the docs show the table", async () => {
  const docs = await readFile(join(checkout, "docs/guides/action.md"), "utf8");
  expect(docs.slice(docs.indexOf("| event |")).split("\n\n", 1)[0]).toBe(renderEventTable());
});

test.each(
  situations.map(({ row, type }) => [[row.event, type, row.when].filter(Boolean).join(", "), row, type] as const),
)("%s is decided as the table says, with each operation", (_, row, type) => {
  const found: string[] = [];
  const expected: string[] = [];
  for (const operation of decided) {
    for (const ref of [undefined, "release/9"]) {
      for (const pullRequest of [undefined, otherNumber]) {
        const target = decide(
          someEvent(sampleOf(row, type)),
          { operation, ref, pullRequest, needsRef: true },
          lookedUpPullRequest(row.when),
        );
        const given = `${operation} ref: ${ref ?? "-"} pull-request: ${pullRequest ?? "-"}`;
        found.push(`${given}: ${outcomeOf(target)}`);
        expected.push(
          `${given}: ${allowedOutcome(row, operation, { ref: ref !== undefined, pullRequest: pullRequest !== undefined })}`,
        );
      }
    }
  }
  expect(found).toEqual(expected);
});
