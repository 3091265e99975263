import { expect, test } from "vitest";
import { type MockServer, startMockServer } from "../../../../mock-server/server.ts";
import { agentInputs, ask, deploymentsOf, makeDeployment, ownedBy } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";
import type { ActionEvent } from "../../../kit/github/step.ts";

const push: ActionEvent = { name: "push", ref: "refs/heads/main", sha: "a".repeat(40) };
const dispatch: ActionEvent = { name: "workflow_dispatch", ref: "refs/heads/main" };
const schedule: ActionEvent = { name: "schedule", ref: "refs/heads/main" };

interface Phase {
  event: ActionEvent;
  inputs?: Record<string, string>;
  prepare: (mock: MockServer, github: FakeGitHub) => unknown;
  /** What the log must say before the run is cancelled. */
  when: RegExp;
  /** What it must say then. */
  says: string;
}

const goesOn = "continues on the platform and may still go live";
const deletionGoesOn = "A deletion in progress continues";
const nothingKnown = "Cancelled before a revision was known";
const slow = { latency: "30s" };

async function makeLive(mock: MockServer, body: Record<string, unknown> = {}): Promise<void> {
  mock.transitions.set({ mode: "immediate" });
  await makeDeployment(mock, body);
  mock.transitions.set({ mode: "manual" });
}

const phases: Record<string, Phase> = {
  "a build": {
    event: push,
    prepare: (mock) => mock.transitions.set({ rules: [{ name: "*", mode: "time:50ms", stick: "BUILDING" }] }),
    when: /^BUILDING /m,
    says: goesOn,
  },
  "a rollout": {
    event: push,
    prepare: (mock) => mock.transitions.set({ rules: [{ name: "*", mode: "time:50ms", stick: "DEPLOYING" }] }),
    when: /^DEPLOYING /m,
    says: goesOn,
  },
  "a redeployment": {
    event: dispatch,
    inputs: { operation: "redeploy" },
    prepare: (mock) => makeLive(mock),
    when: /^CREATING /m,
    says: goesOn,
  },
  "a deletion": {
    event: dispatch,
    inputs: { operation: "delete" },
    prepare: (mock) => makeLive(mock, ownedBy("acme/agents#deploy")),
    when: /^Deleting: /m,
    says: deletionGoesOn,
  },
  "a sweep": {
    event: schedule,
    inputs: { operation: "sweep" },
    async prepare(mock, github) {
      for (const number of [1, 2]) {
        await makeLive(mock, { name: `support-agent-pr-${number}`, ...ownedBy(`acme/agents#pr-${number}`) });
        github.closedPullRequests.add(number);
      }
    },
    when: /^Deleting: /m,
    says: deletionGoesOn,
  },
  "a smoke test": {
    event: push,
    inputs: { "smoke-test": '{"assistant": "agent"}' },
    prepare(mock) {
      mock.transitions.set({ mode: "immediate" });
      mock.faults.replace([{ match: { path: "/agents/*/runs/wait" }, effect: slow }]);
    },
    when: /^Smoke test: .*\/ok responds/m,
    says: goesOn,
  },
  "a rollback": {
    event: push,
    inputs: { "on-failure": "rollback" },
    async prepare(mock) {
      await makeLive(mock);
      mock.transitions.set({ rules: [{ name: "*", mode: "immediate", fail: "DEPLOY_FAILED", times: 1 }] });
    },
    when: /^Rollback: CREATING/m,
    says: "The rollback was cancelled and continues on the platform",
  },
  "a plan": {
    event: dispatch,
    inputs: { operation: "plan" },
    prepare: (mock) => mock.faults.replace([{ match: { path: "/v2/deployments" }, effect: slow }]),
    when: /^graphdeploy: plan/m,
    says: nothingKnown,
  },
  "a look-up of the name": {
    event: push,
    prepare: (mock) => mock.faults.replace([{ match: { method: "GET", path: "/v2/deployments" }, effect: slow }]),
    when: /^graphdeploy: deploy/m,
    says: nothingKnown,
  },
  "a wait for a GitHub that hangs": {
    event: push,
    inputs: { "github-environment": "production" },
    prepare(_, github) {
      github.onCall = () => new Promise(() => {});
    },
    when: /^graphdeploy: deploy/m,
    says: nothingKnown,
  },
};

test.concurrent.each(Object.entries(phases))(
  "a cancel in %s ends the step and says what continues",
  async (_, phase) => {
    const { event, inputs, prepare, when, says } = phase;
    await using mock = await startMockServer({ port: 0, transitions: "manual" });
    await using github = await FakeGitHub.start();
    await prepare(mock, github);
    const before = mock.requests().length;
    const result = await runAction({
      event,
      inputs: agentInputs(mock, inputs),
      githubUrl: github.url,
      onOutput: (log, cancel) => {
        if (when.test(log)) cancel();
      },
    });
    expect([result.code, result.outputs.result], result.log).toEqual([1, "cancelled"]);
    expect(result.mainLog).toContain(says);
    expect(result.postLog).toBe("");
    const methods = mock
      .requests()
      .slice(before)
      .map(({ method }) => method);
    expect(methods.filter((method) => method === "DELETE")).toHaveLength(says === deletionGoesOn ? 1 : 0);
    if (says === nothingKnown) expect(methods).not.toContain("POST");
  },
);

test.concurrent("a cancelled run can interrupt its revision", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const { outputs, log } = await runAction({
    event: push,
    inputs: agentInputs(mock, { "on-cancel": "interrupt" }),
    onOutput: (soFar, cancel) => {
      if (soFar.includes("CREATING")) cancel();
    },
  });
  expect(outputs.result).toBe("cancelled");
  expect(log).toContain("that the platform interrupt revision");
  const [{ id, latest_revision_id: revision }] = await deploymentsOf(mock);
  expect((await ask(mock, "GET", `/v2/deployments/${id}/revisions/${revision}`)).status).toBe("INTERRUPTED");
});
