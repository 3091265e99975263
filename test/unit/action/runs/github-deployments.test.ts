import { expect, test } from "vitest";
import { type MockServer, startMockServer } from "../../../../mock-server/server.ts";
import { agentInputs } from "../../../kit/github/agents.ts";
import { type ActionOptions, runAction } from "../../../kit/github/run-action.ts";
import { type FakeDeployment, FakeGitHub } from "../../../kit/github/server.ts";
import type { ActionResult } from "../../../kit/github/step.ts";

const push = { name: "push", ref: "refs/heads/main", sha: "a".repeat(40) };
const unfinished = new Set(["in_progress", "queued", "pending"]);

const lastOf = ({ states }: FakeDeployment) => states.at(-1);

const stateOf = (deployment: FakeDeployment | undefined) => deployment && lastOf(deployment)?.state;

/** A run on a platform on which rollouts don't advance by themselves. */
async function run(mock: MockServer, github: FakeGitHub, options: Partial<ActionOptions> = {}): Promise<ActionResult> {
  return runAction({
    event: push,
    githubUrl: github.url,
    ...options,
    inputs: agentInputs(mock, { "github-environment": "production", ...options.inputs }),
  });
}

test.concurrent.each<[string, string, Partial<ActionOptions>]>([
  ["that times out", "error", { inputs: { timeout: "1s" } }],
  ["that doesn't wait", "inactive", { inputs: { wait: "false" } }],
])("a run %s ends its GitHub deployment as %s, naming the revision", async (_, state, options) => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  await using github = await FakeGitHub.start();
  const { outputs, log } = await run(mock, github, options);
  const [deployment] = github.deployments;
  expect(stateOf(deployment), log).toBe(state);
  expect(lastOf(deployment as FakeDeployment)?.description).toContain(outputs["revision-id"]);
});

test.concurrent("a later run ends what a lost one left open for the same deployment, and nothing else", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const leave = (payload: unknown, states: string[], description = "graphdeploy") =>
    github.addDeployment({
      environment: "production",
      payload,
      description,
      states: states.map((state) => ({ state })),
    });
  const own = { graphdeploy: { name: "support-agent", baseUrl: mock.url, run: "https://github.com/other-run" } };
  const lost = leave(own, ["in_progress"]);
  const asText = leave(JSON.stringify(own), ["queued"]);
  const withoutStatus = leave(own, []);
  const ended = leave(own, ["in_progress", "success"]);
  const others = [
    leave({ graphdeploy: { ...own.graphdeploy, name: "other-agent" } }, ["in_progress"]),
    leave({ graphdeploy: { ...own.graphdeploy, baseUrl: "https://eu.example.com" } }, ["in_progress"]),
    leave({}, ["in_progress"]),
    leave("deploy by hand", ["in_progress"]),
  ];
  const { outputs, log } = await run(mock, github);
  expect(outputs.result, log).toBe("deployed");
  expect([lost, asText, withoutStatus].map(stateOf)).toEqual(["inactive", "inactive", "inactive"]);
  expect(ended.states).toHaveLength(2);
  expect(others.map(stateOf)).toEqual(["in_progress", "in_progress", "in_progress", "in_progress"]);
  expect(stateOf(github.deployments.at(-1))).toBe("success");
});

test.concurrent("a run that ends while another is in progress keeps its own final state", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  await using github = await FakeGitHub.start();
  const payload = { graphdeploy: { name: "support-agent", baseUrl: mock.url, run: "https://github.com/other-run" } };
  const other = github.addDeployment({ payload, description: "graphdeploy", states: [{ state: "in_progress" }] });
  const { outputs, log } = await run(mock, github, {
    inputs: { timeout: "1s" },
    onOutput: (soFar) => {
      if (other.states.length === 1 && soFar.includes("Following revision")) other.states.push({ state: "success" });
    },
  });
  expect(outputs.result, log).toBe("timed-out");
  expect(other.states.map(({ state }) => state)).toEqual(["in_progress", "success"]);
});

test.concurrent("what an earlier version left in an environment of only this deployment is closed, too", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const leave = (description: string) =>
    github.addDeployment({ environment: "agents/support-agent", description, states: [{ state: "in_progress" }] });
  const ours = leave("graphdeploy");
  const foreign = leave("something else");
  await run(mock, github, { inputs: { "github-environment": "agents/{name}" } });
  expect([stateOf(ours), stateOf(foreign)]).toEqual(["inactive", "in_progress"]);
});

test.concurrent("whatever happens to two runs one after the other, nothing stays in progress", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  await using github = await FakeGitHub.start();
  await run(mock, github, { inputs: { timeout: "1s" } });
  mock.transitions.set({ mode: "immediate" });
  await run(mock, github);
  expect(github.deployments).toHaveLength(2);
  for (const deployment of github.deployments) expect(unfinished).not.toContain(stateOf(deployment));
});
