import { expect, test } from "vitest";
import { type MockServer, startMockServer } from "../../../../mock-server/server.ts";
import { headSha, pullRequest } from "../../../kit/action/events.ts";
import { deploymentsOf, makeDeployment, ownedBy, pushTo, repositoryUrl, writesOf } from "../../../kit/github/agents.ts";
import { agentsFile, push, runFile } from "../../../kit/github/file-steps.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";

const event = (action: string, options = {}) => ({
  name: "pull_request",
  ref: "refs/pull/12/merge",
  payload: pullRequest(action, options),
});
const namesOf = async (mock: MockServer) =>
  (await deploymentsOf(mock)).map(({ name }: { name: string }) => name).sort();

test("a pull request gets the plan of a merge as a comment, which the next run updates", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  await runFile(mock, { event: push(await pushTo(mock)) });
  const before = writesOf(mock).length;
  const changed = agentsFile.replace("search: {}", "search: { env: { LOG_LEVEL: debug } }");
  const first = await runFile(mock, { event: event("opened"), file: changed, githubUrl: github.url });
  expect([first.outputs.result, first.outputs.changes], first.log).toEqual(["planned", "1"]);
  const [comment] = github.comments.get(12) ?? [];
  expect(comment?.body).toContain("**graphdeploy.yaml** 📋 plan");
  expect(comment?.body).toMatch(/\| <code>search<\/code> \| 🚀 new revision \| environment: adds LOG\\_LEVEL/);
  expect(comment?.body).toContain("Plan: 1 to roll out, 1 unchanged.");
  expect(comment?.body).toContain("A push to main also rolls out: support.");
  expect(JSON.parse(first.outputs.plan ?? "{}").summary).toMatchObject({ revision: 1, unchanged: 1 });
  await runFile(mock, { event: event("synchronize"), githubUrl: github.url });
  expect(github.comments.get(12)).toHaveLength(1);
  expect(comment?.body).toContain("Plan: 2 unchanged.");
  expect(writesOf(mock)).toHaveLength(before);
});

test("each environment has a comment of its own", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  for (const environment of ["", "staging"]) {
    await runFile(mock, { event: event("opened"), inputs: { environment }, githubUrl: github.url });
  }
  expect(github.comments.get(12)?.map(({ body }) => body.split("\n")[1])).toEqual([
    "### **graphdeploy.yaml** 📋 plan",
    "### **graphdeploy.yaml \\(staging\\)** 📋 plan",
  ]);
});

test("where no changes are expected, a plan with changes fails", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const inputs = { operation: "plan", "expect-no-changes": "true" };
  const { code, outputs, log } = await runFile(mock, { event: push("a".repeat(40)), inputs });
  expect([code, outputs.result, outputs.changes], log).toEqual([1, "failed", "2"]);
  expect(log).toContain("none were expected (expect-no-changes)");
});

test("a preview is applied on request, built from the pull request's branch, and deleted when it closes", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  await mock.push({ repoUrl: repositoryUrl, ref: "feature/search", commit: headSha });
  const inputs = { operation: "preview", "github-environment": "preview/{name}" };
  const step = { inputs, env: { GIT_REF: "feature/search" }, githubUrl: github.url };
  const made = await runFile(mock, { ...step, event: event("opened") });
  expect([made.outputs.result, made.outputs.changes], made.log).toEqual(["deployed", "1"]);
  expect(made.log).not.toContain("its preview is built from");
  const [preview] = await deploymentsOf(mock);
  expect(preview).toMatchObject({
    name: "search-staging-pr-12",
    source_revision_config: { repo_ref: "feature/search" },
    secrets: [
      { name: "GRAPHDEPLOY_MANAGED_BY", value: "acme/agents#graphdeploy.yaml@pr-12:search-staging-pr-12" },
      { name: expect.stringMatching(/^GRAPHDEPLOY_FILE_[0-9A-F]{12}$/), value: "true" },
    ],
  });
  const [comment] = github.comments.get(12) ?? [];
  expect(comment?.body).toContain("**graphdeploy.yaml \\(previews of \\#12\\)** ✅ is live");
  // Under auto, from a checkout that lacks the file.
  const closed = await runFile(mock, { event: event("closed"), files: {}, githubUrl: github.url });
  expect([closed.outputs.result, closed.outputs.changes], closed.log).toEqual(["deleted", "1"]);
  expect(await namesOf(mock)).toEqual([]);
  expect(comment?.body).toContain("🗑️ was deleted");
  expect(github.comments.get(12)).toHaveLength(1);
});

test("a preview is never taken over", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, { name: "search-staging-pr-12", ...ownedBy("acme/agents#pr-12") });
  const step = { event: event("opened"), inputs: { operation: "preview", adopt: "true" } };
  const { outputs, log } = await runFile(mock, step);
  expect(outputs.result, log).toBe("failed");
  expect(log).toContain("owned by acme/agents#pr-12");
});

test("a preview of a fixed branch is warned about", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const { log } = await runFile(mock, { event: event("opened"), inputs: { operation: "preview" } });
  expect(log).toContain("search: its preview is built from main, not from feature/search of the pull request.");
});

test("previews need a part of that name in the file", async () => {
  await using mock = await startMockServer({ port: 0 });
  const file = agentsFile.slice(0, agentsFile.indexOf("previews:"));
  const { code, log } = await runFile(mock, { event: event("opened"), file, inputs: { operation: "preview" } });
  expect(code).toBe(1);
  expect(log).toContain('operation: "preview" needs the part previews in graphdeploy.yaml');
  expect(mock.requests()).toEqual([]);
});

test("a pull request that was closed in the meantime gets no previews", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  github.closedPullRequests.add(12);
  const step = { event: event("opened"), inputs: { operation: "preview" }, githubUrl: github.url };
  const { outputs, log } = await runFile(mock, step);
  expect(outputs.result, log).toBe("deleted");
  expect(await namesOf(mock)).toEqual([]);
});

test("a sweep deletes the previews of closed pull requests, and no other deployment", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  await runFile(mock, { event: push(await pushTo(mock)) });
  for (const number of [12, 13]) {
    const inputs = { operation: "preview" };
    await runFile(mock, { event: event("opened", { number }), inputs, githubUrl: github.url });
  }
  github.closedPullRequests.add(13);
  const schedule = { name: "schedule", ref: "refs/heads/main", sha: "a".repeat(40) };
  const inputs = { operation: "sweep" };
  const { outputs, log } = await runFile(mock, { event: schedule, inputs, githubUrl: github.url });
  expect([outputs.result, outputs.changes], log).toEqual(["deleted", "1"]);
  expect(await namesOf(mock)).toEqual(["search", "search-staging-pr-12", "support"]);
  expect(github.comments.get(13)?.[0]?.body).toContain("a sweep deleted its previews");
  github.refused.add("pulls");
  const unknown = await runFile(mock, { event: schedule, inputs, githubUrl: github.url });
  expect(unknown.code).toBe(1);
  expect(unknown.log).toContain("left alone: search-staging-pr-12.");
});

test.each([
  ["a fork's pull request", event("opened", { head: "mallory/agents" }), {}, "comes from a fork"],
  ["an edit of a pull request's text", event("edited"), {}, "doesn't change the code"],
])("%s is skipped before the file is read", async (_, given, inputs, reason) => {
  await using mock = await startMockServer({ port: 0 });
  const { code, outputs, log } = await runFile(mock, { event: given, inputs, file: "broken" });
  expect([code, outputs.result], log).toEqual([0, "skipped"]);
  expect(log).toContain(reason);
  expect(mock.requests()).toEqual([]);
});

test.each([
  ["a stranger's comment is skipped", "mallory", [0, "skipped"]],
  ["a member's comment gets the plan", "octocat", [0, "planned"]],
])("%s", async (_, login, ended) => {
  await using mock = await startMockServer({ port: 0 });
  await using github = await FakeGitHub.start();
  github.pullRequests.set(12, pullRequest("opened").pull_request as Record<string, unknown>);
  const payload = { action: "created", issue: { number: 12, pull_request: {} }, sender: { login } };
  const comment = { name: "issue_comment", ref: "refs/heads/main", payload };
  const step = { event: comment, inputs: { operation: "plan" }, githubUrl: github.url };
  const { code, outputs, log } = await runFile(mock, step);
  expect([code, outputs.result], log).toEqual(ended);
});

test("a run of Dependabot without secrets is skipped", async () => {
  await using mock = await startMockServer({ port: 0 });
  const { code, outputs, log } = await runFile(mock, {
    event: event("opened"),
    inputs: { "api-key": "" },
    env: { GITHUB_ACTOR: "dependabot[bot]", TOKEN: "" },
  });
  expect([code, outputs.result], log).toEqual([0, "skipped"]);
  expect(log).toContain("Dependabot started this run");
});
