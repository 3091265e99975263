import { expect, test } from "vitest";
import { type MockServer, startMockServer } from "../../../../mock-server/server.ts";
import { pullRequest } from "../../../kit/action/events.ts";
import { agentInputs, apiKey, makeDeployment, secretValue } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";
import { token } from "../../../kit/github/step.ts";

const opened = { name: "pull_request", ref: "refs/pull/12/merge", payload: pullRequest("opened") };
const older = "<!-- graphdeploy:support-agent-pr-12 -->";
const markerOn = (mock: MockServer) =>
  `<!-- graphdeploy:support-agent-pr-12@${encodeURIComponent(new URL(mock.url).host)} -->`;
const bot = { login: "github-actions[bot]", type: "Bot" } as const;

test("missing permissions are named and fail nothing", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  for (const permission of ["deployments", "comments", "pulls"] as const) github.refused.add(permission);
  const inputs = agentInputs(mock, { "github-environment": "{name}" });
  const { code, outputs, log } = await runAction({ event: opened, inputs, githubUrl: github.url });
  expect([code, outputs.result], log).toEqual([0, "deployed"]);
  for (const permission of ["deployments: write", "pull-requests: write", "pull-requests: read"]) {
    expect(log).toContain(`The job needs the permission ${permission}`);
  }
});

test("a GitHub that doesn't respond fails nothing", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const { code, outputs, log } = await runAction({ event: opened, inputs: agentInputs(mock) });
  expect([code, outputs.result], log).toEqual([0, "deployed"]);
  expect(log).toContain("failed and was left out");
});

test("the comment is found on a late page, by marker and author", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const marker = markerOn(mock);
  const copied = github.addComment(12, `${marker}\nnot ours`, { login: "mallory", type: "User" });
  const other = github.addComment(12, "<!-- graphdeploy:other-agent-pr-12 -->\nanother deployment's", bot);
  for (let count = 0; count < 350; count += 1) github.addComment(12, `comment ${count}`);
  const own = github.addComment(12, `${marker}\nold`, bot);
  const { code, log } = await runAction({ event: opened, inputs: agentInputs(mock), githubUrl: github.url });
  expect(code, log).toBe(0);
  expect(own.body).toContain("✅ is live");
  expect(copied.body).toContain("not ours");
  expect(other.body).toContain("another deployment's");
  expect(github.comments.get(12)).toHaveLength(353);
});

test("a comment of an earlier version is reused, unless there are several", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const run = () => runAction({ event: opened, inputs: agentInputs(mock), githubUrl: github.url });
  const elsewhere = github.addComment(12, `${older.replace(" -->", "@eu.example.com -->")}\nof another region`, bot);
  const old = github.addComment(12, `${older}\nold`, bot);
  await run();
  expect(old.body.startsWith(markerOn(mock)), old.body).toBe(true);
  expect(elsewhere.body).toContain("of another region");
  github.comments.set(12, []);
  for (const text of ["one", "two"]) github.addComment(12, `${older}\n${text}`, bot);
  await run();
  expect(github.comments.get(12)?.map(({ body }) => body.split("\n", 1)[0])).toEqual([older, older, markerOn(mock)]);
});

test("only the comment of the token's own app is changed, even if another app's has the marker", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  github.viewer = "deployer";
  const other = github.addComment(12, `${markerOn(mock)}\nanother app's`, bot);
  const own = github.addComment(12, `${markerOn(mock)}\nold`, { login: "deployer[bot]", type: "Bot" });
  await runAction({ event: opened, inputs: agentInputs(mock), githubUrl: github.url });
  expect(other.body).toContain("another app's");
  expect(own.body).toContain("✅ is live");
  github.viewer = undefined;
  await runAction({ event: opened, inputs: agentInputs(mock), githubUrl: github.url });
  expect(other.body).toContain("✅ is live");
});

test("with a personal token the comment is that of its user", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  github.login = "deployer";
  const botComment = github.addComment(12, `${markerOn(mock)}\nold`, bot);
  const run = () => runAction({ event: opened, inputs: agentInputs(mock), githubUrl: github.url });
  await run();
  await run();
  expect(botComment.body).toContain("old");
  expect(github.comments.get(12)).toHaveLength(2);
});

test("a failure updates the comment, with the end of the log", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  mock.transitions.set({
    rules: [{ name: "*", fail: "BUILD_FAILED", logLines: ["@octocat ```</details><img src=x>", "the cause"] }],
  });
  await using github = await FakeGitHub.start();
  await runAction({ event: opened, inputs: agentInputs(mock), githubUrl: github.url });
  const [comment] = github.comments.get(12) ?? [];
  expect(comment?.body).toContain("❌ failed");
  expect(comment?.body).toContain("the cause");
  // Code can't contain mentions or markup, and its fence is longer than any in it.
  expect(comment?.body).toMatch(/````text\n[\s\S]*@octocat ```<\/details>[\s\S]*\n````/);
});

test("comment and summary can be switched off", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const inputs = agentInputs(mock, { comment: "false", summary: "false" });
  const { summary, code } = await runAction({ event: opened, inputs, githubUrl: github.url });
  expect([code, summary]).toEqual([0, ""]);
  expect(github.comments.size).toBe(0);
});

test("a log of megabytes is cut in the summary and in the comment", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index} ${"x".repeat(70_000)}`);
  mock.transitions.set({ rules: [{ name: "*", fail: "BUILD_FAILED", logLines: lines }] });
  await using github = await FakeGitHub.start();
  const { summary, code } = await runAction({ event: opened, inputs: agentInputs(mock), githubUrl: github.url });
  expect(code).toBe(1);
  expect(Buffer.byteLength(summary)).toBeLessThan(512 * 1024);
  expect(summary).toContain("line 29");
  expect(github.comments.get(12)?.[0]?.body.length).toBeLessThan(65_536);
});

test("a secret reaches neither log, file, comment nor GitHub deployment, however the platform quotes it", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const forms = [
    secretValue,
    encodeURIComponent(secretValue),
    JSON.stringify(secretValue),
    Buffer.from(secretValue).toString("base64"),
    Buffer.from(`user:${secretValue}`).toString("base64"),
    "line-two-of-a-key",
    apiKey,
    token,
  ];
  mock.transitions.set({
    rules: [{ name: "*", fail: "DEPLOY_FAILED", logLines: forms.map((form) => `leak ${form}`) }],
  });
  await using github = await FakeGitHub.start();
  const secrets = JSON.stringify({ TOKEN: secretValue, PEM: "line-one-of-a-key\nline-two-of-a-key" });
  const inputs = agentInputs(mock, { secrets, "github-environment": "{name}" });
  const { everything, log } = await runAction({ event: opened, inputs, githubUrl: github.url });
  expect(log).toContain("leak [redacted]");
  const searched = everything + github.written();
  for (const form of [...forms, Buffer.from(secretValue).toString("base64").slice(4, 20)])
    expect(searched).not.toContain(form);
});

test("the comment shows the plan of a pull request", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  await makeDeployment(mock);
  const inputs = agentInputs(mock, { operation: "plan", "graph-config-path": "other.json" });
  const { outputs } = await runAction({ event: opened, inputs, githubUrl: github.url });
  expect(outputs).toMatchObject({ result: "planned", name: "support-agent" });
  expect(github.comments.get(12)?.[0]?.body).toContain("graph-config-path");
});
