import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { pullRequest } from "../../../kit/action/events.ts";
import {
  agentInputs,
  ask,
  deploymentsOf,
  makeDeployment,
  ownedBy,
  pushTo,
  writesOf,
} from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub, type GitHubResponse } from "../../../kit/github/server.ts";
import type { ActionEvent } from "../../../kit/github/step.ts";

const event = (action: string, options: Parameters<typeof pullRequest>[1] = {}): ActionEvent => ({
  name: "pull_request",
  ref: "refs/pull/12/merge",
  sha: "e".repeat(40),
  payload: pullRequest(action, options),
});

const namesIn = async (mock: Parameters<typeof deploymentsOf>[0]) =>
  (await deploymentsOf(mock)).map(({ name }: { name: string }) => name).sort();

test.concurrent("a preview lives from the opening of its pull request to its end", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  await makeDeployment(mock);
  const inputs = agentInputs(mock, { "github-environment": "preview/{name}" });
  const run = (action: string) => runAction({ event: event(action), inputs, githubUrl: github.url });

  await pushTo(mock, "feature/search");
  const opened = await run("opened");
  expect(opened.outputs, opened.log).toMatchObject({
    result: "deployed",
    name: "support-agent-pr-12",
    created: "true",
  });
  const preview = (await deploymentsOf(mock)).find(({ name }: { name: string }) => name === "support-agent-pr-12");
  expect(preview.source_revision_config.repo_ref).toBe("feature/search");
  expect(preview.secrets).toEqual([
    { name: "GRAPHDEPLOY_MANAGED_BY", value: "acme/agents#pr-12" },
    { name: "GRAPHDEPLOY_PREVIEW_PR_12", value: "true" },
  ]);

  const updated = await run("synchronize");
  expect(updated.outputs).toMatchObject({ result: "deployed", created: "false" });
  expect(github.comments.get(12)).toHaveLength(1);
  expect(github.comments.get(12)?.[0]?.body).toContain("✅ is live");

  github.closedPullRequests.add(12);
  const closed = await run("closed");
  expect([closed.code, closed.outputs.result]).toEqual([0, "deleted"]);
  expect(await namesIn(mock)).toEqual(["support-agent"]);
  expect(github.comments.get(12)).toHaveLength(1);
  expect(github.comments.get(12)?.[0]?.body).toContain("🗑️ was deleted");
  expect(
    github.deployments.map(({ transient, environment, states }) => [transient, environment, states.at(-1)?.state]),
  ).toEqual([
    [true, "preview/support-agent-pr-12", "inactive"],
    [true, "preview/support-agent-pr-12", "inactive"],
  ]);

  const again = await run("closed");
  expect([again.code, again.outputs.result], again.log).toEqual([0, "deleted"]);
});

test.concurrent("a preview whose deletion is in progress is recreated once it is gone", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const inputs = agentInputs(mock, { wait: "false" });
  mock.transitions.set({ mode: "manual" });
  const first = await runAction({ event: event("opened"), inputs, githubUrl: github.url });
  const { "deployment-id": id = "" } = first.outputs;
  await ask(mock, "DELETE", `/v2/deployments/${id}`);
  let isGone = false;
  const again = await runAction({
    event: event("reopened"),
    inputs,
    githubUrl: github.url,
    onOutput: (log) => {
      if (isGone || !log.includes("waiting until its name is free")) return;
      isGone = true;
      void mock.deployments.advance(id).then(() => mock.deployments.advance(id));
    },
  });
  expect(again.outputs, again.log).toMatchObject({ result: "started", created: "true" });
  expect(again.outputs["deployment-id"]).not.toBe(id);
});

test.concurrent("a preview never gets the name of the deployment itself, also where there is none yet", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const inputs = agentInputs(mock, { name: "agent-12", "preview-name": "agent-{number}" });
  const { code, log } = await runAction({ event: event("opened"), inputs });
  expect([code, writesOf(mock)], log).toEqual([1, []]);
  expect(log).toContain(
    "preview-name: makes agent-12 of pull request #12, which is the name of the deployment itself.",
  );
});

test.concurrent("a branch named like that of production only reaches the preview", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const production = await makeDeployment(mock);
  await runAction({ event: event("opened", { headRef: "main" }), inputs: agentInputs(mock), githubUrl: github.url });
  const deployments = await deploymentsOf(mock);
  expect(await namesIn(mock)).toEqual(["support-agent", "support-agent-pr-12"]);
  const now = deployments.find(({ id }: { id: string }) => id === production.id);
  expect(now.latest_revision_id).toBe(production.latest_revision_id);
});

test.concurrent("a pull request that was closed before its run began gets no preview", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  github.closedPullRequests.add(12);
  const { code, outputs, log } = await runAction({
    event: event("opened"),
    inputs: agentInputs(mock),
    githubUrl: github.url,
  });
  expect([code, outputs.result]).toEqual([0, "deleted"]);
  expect(log).toContain("was closed in the meantime");
  expect(writesOf(mock)).toEqual([]);
});

test.concurrent.each(["DEPLOYED", "BUILD_FAILED"])(
  "a pull request that is closed while its preview ends as %s leaves nothing behind",
  async (status) => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    if (status !== "DEPLOYED") mock.transitions.set({ rules: [{ name: "*", fail: "BUILD_FAILED" }] });
    await using github = await FakeGitHub.start();
    let looks = 0;
    github.onCall = ({ path }) => {
      if (path.includes("/pulls/")) looks += 1;
      if (looks === 2) github.closedPullRequests.add(12);
    };
    const { outputs, log } = await runAction({
      event: event("opened"),
      inputs: agentInputs(mock),
      githubUrl: github.url,
    });
    expect(outputs.result, log).toBe("deleted");
    expect(await namesIn(mock)).toEqual([]);
  },
);

test.concurrent("a run whose preview is deleted because the pull request was closed ends as deleted", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  await using github = await FakeGitHub.start();
  let deletion: Promise<unknown> | undefined;
  const { outputs, log } = await runAction({
    event: event("opened"),
    inputs: agentInputs(mock),
    githubUrl: github.url,
    onOutput: (soFar) => {
      if (!soFar.includes("CREATING") || deletion !== undefined) return;
      github.closedPullRequests.add(12);
      mock.transitions.set({ mode: "immediate" });
      deletion = deploymentsOf(mock).then(([{ id }]) =>
        fetch(`${mock.url}/v2/deployments/${id}`, {
          method: "DELETE",
          headers: { "x-api-key": "key-of-the-action-test" },
        }),
      );
    },
  });
  expect(outputs.result, log).toBe("deleted");
});

test.concurrent("a fork is skipped, with or without a key", async () => {
  await using mock = await startMockServer({ port: 0 });
  for (const inputs of [agentInputs(mock), agentInputs(mock, { "api-key": "" })]) {
    const opened = await runAction({ event: event("opened", { head: "mallory/agents" }), inputs });
    expect([opened.code, opened.outputs.result]).toEqual([0, "skipped"]);
  }
  const closed = await runAction({
    event: event("closed", { head: null }),
    inputs: agentInputs(mock, { "api-key": "" }),
  });
  expect([closed.code, closed.outputs.result], closed.log).toEqual([0, "skipped"]);
  expect(mock.requests()).toEqual([]);
});

test.concurrent.each([
  ["without a mark", {}],
  ["of another repository", ownedBy("acme/other#pr-12")],
  ["of another pull request", ownedBy("acme/agents#pr-1")],
])("a deployment %s that has the name of a preview is left alone", async (_, body) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  await makeDeployment(mock, { name: "support-agent-pr-12", ...body });
  for (const action of ["opened", "closed"]) {
    const { code, outputs, log } = await runAction({
      event: event(action),
      inputs: agentInputs(mock),
      githubUrl: github.url,
    });
    expect(outputs.result, log).toBe(action === "opened" ? "failed" : "skipped");
    expect(code).toBe(action === "opened" ? 1 : 0);
    expect(log).toContain("It is left alone");
  }
  expect(writesOf(mock)).toEqual(["POST /v2/deployments 201"]);
});

test.concurrent("a sweep deletes the previews of closed pull requests and nothing else", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  for (const number of [1, 2, 3]) {
    await makeDeployment(mock, { name: `support-agent-pr-${number}`, ...ownedBy(`acme/agents#pr-${number}`) });
  }
  await makeDeployment(mock, { name: "support-agent-pr-4" });
  await makeDeployment(mock, { name: "other-agent-pr-1", ...ownedBy("acme/agents#pr-1") });
  await makeDeployment(mock, { name: "support-agent", ...ownedBy("acme/agents#deploy") });
  for (const number of [1, 3, 4]) github.closedPullRequests.add(number);
  const sweep = { event: { name: "schedule", ref: "refs/heads/main" }, githubUrl: github.url };
  const inputs = agentInputs(mock, { operation: "sweep" });
  const { code, outputs, summary, log } = await runAction({ ...sweep, inputs });
  expect([code, outputs.result], log).toEqual([0, "deleted"]);
  expect(await namesIn(mock)).toEqual([
    "other-agent-pr-1",
    "support-agent",
    "support-agent-pr-2",
    "support-agent-pr-4",
  ]);
  expect(summary).toContain("support-agent-pr-1");
  const again = await runAction({ ...sweep, inputs });
  expect([again.code, again.outputs.result]).toEqual([0, "skipped"]);
});

test.concurrent("a sweep that may not see pull requests deletes nothing, fails and names the permission", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  github.refused.add("pulls");
  await makeDeployment(mock, { name: "support-agent-pr-1", ...ownedBy("acme/agents#pr-1") });
  const inputs = agentInputs(mock, { operation: "sweep" });
  const { code, outputs, log } = await runAction({
    event: { name: "schedule", ref: "refs/heads/main" },
    githubUrl: github.url,
    inputs,
  });
  expect([code, outputs.result], log).toEqual([1, "failed"]);
  expect(log).toMatch(/isn't known, so they were left alone: support-agent-pr-1\..*pull-requests: read/);
  expect(log).not.toContain("no preview of a closed pull request");
  expect(await namesIn(mock)).toEqual(["support-agent-pr-1"]);
});

test.concurrent("a pull request that can't be seen keeps a sweep from none of the others", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  for (const number of [1, 2]) {
    await makeDeployment(mock, { name: `support-agent-pr-${number}`, ...ownedBy(`acme/agents#pr-${number}`) });
    github.closedPullRequests.add(number);
  }
  github.limits.push({ path: "/pulls/2", response: { status: 404, json: { message: "Not Found" } } });
  const { code, outputs, log } = await runAction({
    event: { name: "schedule", ref: "refs/heads/main" },
    githubUrl: github.url,
    inputs: agentInputs(mock, { operation: "sweep" }),
  });
  expect([code, outputs.result], log).toEqual([1, "failed"]);
  expect(await namesIn(mock)).toEqual(["support-agent-pr-2"]);
});

const limits: [string, GitHubResponse][] = [
  ["a 429", { status: 429, headers: { "retry-after": "1" }, json: { message: "Too many requests" } }],
  ["a secondary limit", { status: 403, headers: { "retry-after": "1" }, json: { message: "secondary rate limit" } }],
  [
    "a primary limit",
    { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" }, json: { message: "exceeded" } },
  ],
];

test.concurrent.each(limits)("a sweep outlasts %s of GitHub", async (_, response) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  await makeDeployment(mock, { name: "support-agent-pr-1", ...ownedBy("acme/agents#pr-1") });
  github.closedPullRequests.add(1);
  for (const path of ["/pulls/1", "/pulls/1"]) github.limits.push({ path, response });
  const { outputs, log } = await runAction({
    event: { name: "schedule", ref: "refs/heads/main" },
    githubUrl: github.url,
    inputs: agentInputs(mock, { operation: "sweep" }),
  });
  expect(outputs.result, log).toBe("deleted");
  expect(await namesIn(mock)).toEqual([]);
});

test.concurrent("a lasting rate limit isn't reported as a missing permission", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  for (const number of [1, 2])
    await makeDeployment(mock, { name: `support-agent-pr-${number}`, ...ownedBy(`acme/agents#pr-${number}`) });
  const response = { status: 403, headers: { "retry-after": "3600" }, json: { message: "API rate limit exceeded" } };
  github.limits.push({ path: "/pulls/", response });
  const { outputs, log } = await runAction({
    event: { name: "schedule", ref: "refs/heads/main" },
    githubUrl: github.url,
    inputs: agentInputs(mock, { operation: "sweep" }),
  });
  expect(outputs.result).toBe("failed");
  expect(log).toContain("Its rate limit for this token is used up");
  expect(log).not.toContain("permission");
  // Limited requests aren't retried endlessly.
  expect(github.calls.filter(({ path }) => path.includes("/pulls/"))).toHaveLength(1);
});
