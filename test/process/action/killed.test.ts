import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { checkout } from "../../../scripts/run-command.ts";
import { pullRequest } from "../../kit/action/events.ts";
import { agentInputs, makeDeployment, ownedBy, pushTo } from "../../kit/github/agents.ts";
import { runAction } from "../../kit/github/run-action.ts";
import { runBundle } from "../../kit/github/run-bundle.ts";
import { FakeGitHub } from "../../kit/github/server.ts";
import { actionFile } from "../../kit/github/step.ts";

const push = { name: "push", ref: "refs/heads/main", sha: "a".repeat(40) };
const opened = { name: "pull_request", ref: "refs/pull/12/merge", payload: pullRequest("opened") };
const environment = { "github-environment": "production" };

const killOnce = (when: string) => {
  let isSent = false;
  return (log: string, child: ChildProcess) => {
    if (isSent || !log.includes(when)) return;
    isSent = true;
    child.kill("SIGKILL");
  };
};

test("after a kill, the post step says what continues and closes the GitHub deployment", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  await using github = await FakeGitHub.start();
  const inputs = agentInputs(mock, environment);
  const onOutput = killOnce("CREATING");
  const { code, outputs, postLog } = await runBundle({ event: push, inputs, githubUrl: github.url, onOutput });
  expect(code).toBeNull();
  expect(outputs["deployment-id"]).toBeTruthy();
  expect(outputs["revision-id"]).toBeTruthy();
  expect(postLog).toContain(`Revision ${outputs["revision-id"]} continues on the platform`);
  expect(github.deployments[0]?.states.map(({ state }) => state)).toEqual(["in_progress", "inactive"]);
  expect(github.deployments[0]?.states.at(-1)?.description).toContain(outputs["revision-id"]);
});

test("a re-run of one that was killed follows the same revision to its end", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock);
  mock.transitions.set({ mode: "manual" });
  const event = { ...push, sha: await pushTo(mock) };
  const inputs = agentInputs(mock, { env: "MODE=a" });
  const first = await runBundle({ event, inputs, onOutput: killOnce("CREATING") });
  const { "revision-id": revisionId = "" } = first.outputs;
  let isFollowed = false;
  const second = await runAction({
    event,
    inputs,
    env: { GITHUB_RUN_ATTEMPT: "2" },
    onOutput: (log) => {
      if (isFollowed || !log.includes(`Following revision ${revisionId}`)) return;
      isFollowed = true;
      void mock.revisions.advance(revisionId, "DEPLOYED");
    },
  });
  expect(second.outputs, second.log).toMatchObject({ result: "deployed", "revision-id": revisionId });
  expect(second.log).toContain("and deploys the same: following it instead of creating another");
});

test("after a kill, the comment no longer shows the previous revision as live", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const step = { event: opened, inputs: agentInputs(mock, environment), githubUrl: github.url };
  await runAction(step);
  const comment = () => github.comments.get(12)?.map(({ body }) => body);
  expect(comment()).toEqual([expect.stringContaining("✅ is live")]);
  mock.transitions.set({ mode: "manual" });
  const { outputs, log } = await runBundle({ ...step, onOutput: killOnce("CREATING") });
  expect(comment(), log).toEqual([expect.stringContaining("⏹️ was cancelled")]);
  expect(comment()?.[0]).toContain(`Revision ${outputs["revision-id"]} continues on the platform`);
});

test("after its deletion was killed, a preview isn't shown as live", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const step = { event: opened, inputs: agentInputs(mock, environment), githubUrl: github.url };
  await runAction(step);
  mock.transitions.set({ mode: "manual" });
  const event = { ...opened, payload: pullRequest("closed") };
  const { log } = await runBundle({ ...step, event, onOutput: killOnce("Deleting:") });
  const bodies = github.comments.get(12)?.map(({ body }) => body);
  expect(bodies, log).toEqual([expect.stringContaining("⏹️ was cancelled")]);
  expect(bodies?.[0]).toContain("What was requested of the platform continues");
});

test("a kill while the comment is written leaves the run's result in it", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  await makeDeployment(mock, { name: "support-agent-pr-12", ...ownedBy("acme/agents#pr-12") });
  let kill = () => {};
  github.onCall = ({ path }) => {
    if (path.includes("/comments")) kill();
    kill = () => {};
  };
  const { postLog } = await runBundle({
    event: opened,
    inputs: agentInputs(mock, environment),
    githubUrl: github.url,
    onOutput: (log, child) => {
      if (log.includes("is live")) kill = () => child.kill("SIGKILL");
    },
  });
  expect(github.comments.get(12)?.[0]?.body).toContain("**support-agent-pr-12** ✅ is live");
  expect(github.deployments[0]?.states.map(({ state }) => state)).toEqual(["in_progress", "success"]);
  expect(postLog).toBe("");
});

test("the post step of a main step that was killed before it saved anything does nothing", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const inputs = Object.entries(agentInputs(mock)).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  const env = {
    PATH: process.env.PATH,
    GITHUB_EVENT_NAME: "push",
    GITHUB_REF: "refs/heads/main",
    GITHUB_REPOSITORY: "acme/agents",
    ...Object.fromEntries(inputs),
  };
  const child = spawn(process.execPath, [join(checkout, actionFile.runs.post)], { env, stdio: "ignore" });
  const [code] = await once(child, "close");
  expect(code).toBe(0);
  expect(mock.requests()).toEqual([]);
});
