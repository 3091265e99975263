import fc from "fast-check";
import { expect, test } from "vitest";
import { operations } from "../../../../action/operations.ts";
import { canAnyoneTrigger } from "../../../../action/sender.ts";
import { type MockServer, startMockServer } from "../../../../mock-server/server.ts";
import { expectedOutcome, situation } from "../../../kit/action/event-outcome.ts";
import { lookedUpPullRequest, pullRequestNumber, sampleOf } from "../../../kit/action/event-samples.ts";
import type { Outcome } from "../../../kit/action/event-table.ts";
import { repository } from "../../../kit/action/events.ts";
import { agentInputs, deploymentsOf, makeDeployment, ownedBy, writesOf } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";
import type { ActionEvent } from "../../../kit/github/step.ts";

/** The owner of the deployment before the run, by its marker. */
const owners = ["nobody", "own", "other repository", "Pulumi", "unmarked"] as const;
type Owner = (typeof owners)[number];

const markers: Readonly<Record<"other repository" | "Pulumi", string>> = {
  "other repository": "acme/other#deploy",
  Pulumi: "pulumi#urn:pulumi:prod::agents::graphdeploy:index:Deployment::agent",
};

const names = { deployment: "agent", preview: `agent-pr-${pullRequestNumber}` } as const;
const bystander = "agent-pr-99";

const platform = fc.record({
  deployment: fc.constantFrom(...owners),
  /** The source of the deployment; the deleted branch of the samples is `old`. */
  ref: fc.constantFrom("main", "old"),
  preview: fc.constantFrom(...owners),
});

const inputs = fc.record({
  operation: fc.constantFrom(...operations, "delete" as const),
  ref: fc.constantFrom(undefined, undefined, "main"),
  pullRequest: fc.constantFrom(undefined, undefined, pullRequestNumber),
  wait: fc.boolean(),
  /** The event's sender: somebody with or without write permission. */
  sender: fc.constantFrom("octocat", "octocat", "mallory"),
});

test("nothing is deployed or deleted that the table doesn't allow, whatever the platform has", async () => {
  await fc.assert(
    fc.asyncProperty(situation, inputs, platform, async ({ row, type }, given, states) => {
      await using mock = await startMockServer({ port: 0, transitions: "immediate" });
      await using github = await FakeGitHub.start();
      const { state, ...pull } = lookedUpPullRequest(row.when);
      github.pullRequests.set(pullRequestNumber, pull);
      const isClosed = state === "closed" || type === "closed" || row.when === "already closed";
      if (isClosed) github.closedPullRequests.add(pullRequestNumber);
      await make(mock, names.deployment, states.deployment, "deploy", states.ref);
      await make(mock, names.preview, states.preview, `pr-${pullRequestNumber}`, "feature/search");
      await make(mock, bystander, "own", "pr-99", "other");
      const before = await look(mock);
      const written = writesOf(mock).length;

      const { operation, ref, pullRequest, wait, sender } = given;
      const sample = sampleOf(row, type) as ActionEvent;
      const { code, log } = await runAction({
        event: { ...sample, payload: { ...sample.payload, sender: { login: sender, type: "User" } } },
        inputs: agentInputs(mock, {
          name: "agent",
          operation,
          wait: String(wait),
          ...(ref === undefined ? {} : { ref }),
          ...(pullRequest === undefined ? {} : { "pull-request": String(pullRequest) }),
        }),
        githubUrl: github.url,
      });

      const choice = { operation, ref, pullRequest, needsRef: true };
      const decided = expectedOutcome(row, choice, { ...pull, state: isClosed ? "closed" : "open" });
      const isStranger = sender === "mallory" && canAnyoneTrigger({ name: row.event });
      const outcome = isStranger && decided !== "refuse" ? "notice" : decided;
      const after = await look(mock);
      const touched = [...after.keys()].filter((name) => before.get(name) !== after.get(name));
      const deleted = [...before.keys()].filter((name) => !after.has(name));
      expect(mayTouch(outcome, states), log).toEqual(expect.arrayContaining(touched));
      expect(deleted, log).toEqual(mustDelete(outcome, states, isClosed));
      if (outcome === "notice" || outcome === "refuse" || outcome === "plan") {
        expect(writesOf(mock).slice(written), log).toEqual([]);
      }
      const isOtherRef = outcome === "delete if deployed from that ref" && states.ref !== "old";
      if (outcome === "notice" || isOtherRef) expect(code, log).toBe(0);
      if (outcome === "refuse") expect(code, log).toBe(1);
    }),
    { numRuns: 40, endOnFailure: true },
  );
});

type Platform = typeof platform extends fc.Arbitrary<infer Value> ? Value : never;

function mayTouch(outcome: Outcome | "sweep", { deployment, preview }: Platform): string[] {
  const isOthers = deployment === "other repository" || deployment === "Pulumi";
  if (outcome === "deploy" || outcome === "redeploy") return isOthers ? [] : [names.deployment];
  return outcome === "preview" && (preview === "own" || preview === "nobody") ? [names.preview] : [];
}

function mustDelete(outcome: Outcome | "sweep", { deployment, ref, preview }: Platform, isClosed: boolean): string[] {
  const ofPreview = preview === "own" ? [names.preview] : [];
  const ofDeployment = deployment === "own" ? [names.deployment] : [];
  switch (outcome) {
    case "delete preview":
      return ofPreview;
    case "delete deployment":
      return ofDeployment;
    case "delete if deployed from that ref":
      return ref === "old" ? ofDeployment : [];
    case "sweep":
      return isClosed ? ofPreview : [];
    default:
      return [];
  }
}

async function make(mock: MockServer, name: string, owner: Owner, purpose: string, ref: string): Promise<void> {
  if (owner === "nobody") return;
  const marker = owner === "own" ? `${repository}#${purpose}` : owner === "unmarked" ? undefined : markers[owner];
  await makeDeployment(mock, {
    name,
    ...(marker === undefined ? {} : ownedBy(marker)),
    source_revision_config: { repo_ref: ref, graph_config_path: "graph.json" },
  });
}

/** Everything that the platform returns about each deployment. */
async function look(mock: MockServer): Promise<Map<string, string>> {
  const all = (await deploymentsOf(mock)) as { name: string }[];
  return new Map(all.map((deployment) => [deployment.name, JSON.stringify(deployment)]));
}
