import { expect, test } from "vitest";
import { jsonResponse } from "../../../../mock-server/kit/http/http-response.ts";
import type { RequestContext } from "../../../../mock-server/kit/http/request-context.ts";
import { startMockServer, startMockServerWith } from "../../../../mock-server/server.ts";
import {
  agentInputs,
  apiKey,
  ask,
  deploymentsOf,
  makeDeployment,
  ownedBy,
  pushTo,
  repositoryUrl,
  secretValue,
  writesOf,
} from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";
import type { ActionEvent } from "../../../kit/github/step.ts";

const push = (sha: string): ActionEvent => ({ name: "push", ref: "refs/heads/main", sha });

test.concurrent("the first deploy creates the deployment, the second rolls out a new revision", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const inputs = agentInputs(mock, { secrets: `OPENAI_API_KEY=${secretValue}`, env: "LOG_LEVEL=info" });
  const firstCommit = await pushTo(mock);
  const first = await runAction({ event: push(firstCommit), inputs, githubUrl: github.url });
  expect(first.code, first.log).toBe(0);
  const [deployment] = await deploymentsOf(mock);
  expect(first.outputs).toEqual({
    result: "deployed",
    "deployment-id": deployment.id,
    "revision-id": deployment.latest_revision_id,
    name: "support-agent",
    url: deployment.source_config.custom_url,
    status: "DEPLOYED",
    commit: firstCommit,
    "commit-matches": "true",
    created: "true",
    deployment: expect.stringContaining(deployment.id),
  });
  const environment = Object.fromEntries(
    deployment.secrets.map(({ name, value }: { name: string; value: string }) => [name, value]),
  );
  expect(environment).toEqual({
    OPENAI_API_KEY: secretValue,
    LOG_LEVEL: "info",
    GRAPHDEPLOY_MANAGED_BY: "acme/agents#deploy",
  });

  const secondCommit = await pushTo(mock);
  const second = await runAction({ event: push(secondCommit), inputs, githubUrl: github.url });
  expect(second.outputs).toMatchObject({
    result: "deployed",
    created: "false",
    commit: secondCommit,
    "commit-matches": "true",
  });
  expect(second.outputs["revision-id"]).not.toBe(first.outputs["revision-id"]);
  expect(writesOf(mock)).toEqual(["POST /v2/deployments 201", "PATCH /v2/deployments/… 200"]);
  for (const { everything } of [first, second]) {
    for (const secret of [secretValue, encodeURIComponent(secretValue), apiKey])
      expect(everything).not.toContain(secret);
  }
  expect(second.summary).toContain("✅ is live");
  expect(github.calls).toEqual([]);
});

test.concurrent.each<[string, ActionEvent, string]>([
  ["a tag that is named like a branch", { name: "push", ref: "refs/tags/main" }, "refs/tags/main"],
  ["a tag with +", { name: "push", ref: "refs/tags/v1.0.0+5" }, "refs/tags/v1.0.0+5"],
  ["a release", { name: "release", payload: { action: "published", release: { tag_name: "v2" } } }, "refs/tags/v2"],
  ["a dispatch on a branch in unicode", { name: "workflow_dispatch", ref: "refs/heads/größe/日本" }, "größe/日本"],
  ["a schedule", { name: "schedule", ref: "refs/heads/main" }, "main"],
])("%s deploys its own ref", async (_, event, ref) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock);
  const { outputs, log } = await runAction({ event, inputs: agentInputs(mock) });
  expect(outputs.result, log).toBe("deployed");
  const [deployment] = await deploymentsOf(mock);
  expect(deployment.source_revision_config.repo_ref).toBe(ref);
  expect(deployment.source_config.build_on_push).toBe(false);
});

test.concurrent.each<[string, ActionEvent]>([
  ["a merge group", { name: "merge_group", ref: "refs/heads/gh-readonly-queue/main/pr-1" }],
  ["a deleted branch", { name: "push", ref: "refs/heads/old", payload: { deleted: true } }],
])("%s is skipped with a notice", async (_, event) => {
  await using mock = await startMockServer({ port: 0 });
  const { code, outputs, log } = await runAction({ event, inputs: agentInputs(mock) });
  expect({ code, outputs }).toEqual({ code: 0, outputs: { result: "skipped", name: "support-agent" } });
  expect(log).toContain("::notice ");
  expect(mock.requests()).toEqual([]);
});

test.concurrent("a newer push that won is reported", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const older = await pushTo(mock);
  await pushTo(mock);
  const { outputs, log } = await runAction({ event: push(older), inputs: agentInputs(mock) });
  expect(outputs).toMatchObject({ result: "deployed", "commit-matches": "false" });
  expect(log).toContain("a newer push won");
});

test.concurrent("invalid inputs are annotated one by one before any request", async () => {
  await using mock = await startMockServer({ port: 0 });
  const inputs = agentInputs(mock, { name: "", timeout: "soon", secrets: `A=${secretValue}\nB` });
  const { code, outputs, log, everything } = await runAction({ event: push("a".repeat(40)), inputs });
  expect({ code, outputs }).toEqual({ code: 1, outputs: { result: "failed" } });
  expect(log.match(/::error title=graphdeploy%3A wrong input::\S+/g)).toHaveLength(3);
  expect(everything).not.toContain(secretValue);
  expect(mock.requests()).toEqual([]);
});

test.concurrent("a missing key is skipped where that is wanted", async () => {
  await using mock = await startMockServer({ port: 0 });
  const inputs = agentInputs(mock, { "api-key": "", "on-missing-credentials": "skip" });
  const skipped = await runAction({ event: push("a".repeat(40)), inputs });
  expect([skipped.code, skipped.outputs.result]).toEqual([0, "skipped"]);
  const failed = await runAction({
    event: push("a".repeat(40)),
    inputs: { ...inputs, "on-missing-credentials": "fail" },
  });
  expect([failed.code, failed.outputs.result]).toEqual([1, "failed"]);
  expect(failed.log).toContain("looked for the input api-key, GRAPHDEPLOY_API_KEY");
  expect(failed.log).toContain("Set the input api-key to a key of your workspace.");
});

test.concurrent("a build that fails shows its log, its cause and its ids", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "time:2s" });
  await using github = await FakeGitHub.start();
  const lines = ["::error::not a command", `pip: token ${secretValue}`, "ModuleNotFoundError: no module named agent"];
  mock.transitions.set({ rules: [{ name: "*", fail: "BUILD_FAILED", logLines: lines }] });
  const inputs = agentInputs(mock, { secrets: `TOKEN=${secretValue}`, "github-environment": "production" });
  const result = await runAction({ event: push("a".repeat(40)), inputs, githubUrl: github.url });
  expect(result.code).toBe(1);
  expect(result.outputs).toMatchObject({ result: "failed", status: "BUILD_FAILED", created: "true" });
  expect(result.outputs["revision-id"]).toBeTruthy();
  expect(result.log).toContain("::group::Build log");
  expect(result.log).toContain("Installing dependencies");
  expect(result.log).toMatch(
    /::error title=graphdeploy%3A failed \(BUILD_FAILED\)::Revision \S+ ended as BUILD_FAILED\. Read the log/,
  );
  expect(result.log).toMatch(/::stop-commands::(\S+)\n(?:(?!::\1::)[\s\S])*::error::not a command/);
  expect(result.everything).not.toContain(secretValue);
  expect(result.everything).toContain("token [redacted]");
  expect(result.summary).toContain("❌ failed");
  expect(result.summary).toContain("```mermaid\ngantt");
  expect(result.summary).toContain("ModuleNotFoundError");
  expect(github.deployments[0]?.states.map(({ state }) => state)).toEqual(["in_progress", "failure"]);
});

test.concurrent("a timeout is no failure of the deployment", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const inputs = agentInputs(mock, { timeout: "2s" });
  const { code, outputs, log } = await runAction({ event: push("a".repeat(40)), inputs });
  expect([code, outputs.result, outputs.status]).toEqual([1, "timed-out", "CREATING"]);
  expect(log).toContain("the rollout continues and may still succeed");
});

test.concurrent.each([
  ["fail", 1],
  ["warn", 0],
])("a newer revision supersedes that of the run, which then may %s", async (onSuperseded, status) => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  let newer: Promise<unknown> | undefined;
  const result = await runAction({
    event: push("a".repeat(40)),
    inputs: agentInputs(mock, { "on-superseded": onSuperseded }),
    onOutput: (log) => {
      const id = /deployments\/([0-9a-f-]{36})\/revisions/.exec(log)?.[1];
      if (id === undefined || newer !== undefined) return;
      newer = ask(mock, "PATCH", `/v2/deployments/${id}`, { source_revision_config: { repo_ref: "main" } });
    },
  });
  expect([result.code, result.outputs.result], result.log).toEqual([status, "superseded"]);
});

test.concurrent("without wait, the run ends once the rollout has started", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const { code, outputs } = await runAction({
    event: push("a".repeat(40)),
    inputs: agentInputs(mock, { wait: "false" }),
  });
  const [deployment] = await deploymentsOf(mock);
  expect([code, outputs.result, outputs["revision-id"]]).toEqual([0, "started", deployment.latest_revision_id]);
});

test.concurrent("where the platform builds on push, the run waits for its build and makes no second one", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "time:1s" });
  const source_config = {
    repo_url: repositoryUrl,
    integration_id: "1b2f8a90-5f0e-4a6e-8a31-2f1d3c4b5a69",
    deployment_type: "dev",
    build_on_push: true,
  };
  const { id } = await makeDeployment(mock, { source_config });
  const commit = "c".repeat(40);
  let isPushed = false;
  const { outputs, log } = await runAction({
    event: push(commit),
    inputs: agentInputs(mock),
    onOutput: (soFar) => {
      if (isPushed || !soFar.includes("Waiting for the platform's own build")) return;
      isPushed = true;
      void mock.push({ repoUrl: repositoryUrl, ref: "main", commit });
    },
  });
  expect(outputs, log).toMatchObject({ result: "deployed", commit, "commit-matches": "true" });
  expect((await ask(mock, "GET", `/v2/deployments/${id}/revisions`)).resources).toHaveLength(2);
  expect(writesOf(mock)).toEqual(["POST /v2/deployments 201"]);
});

test.concurrent("a plan changes nothing and says what would change", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, { secrets: [{ name: "TOKEN", value: "old-secret-value" }] });
  const inputs = agentInputs(mock, { operation: "plan", ref: "next", secrets: `TOKEN=${secretValue}` });
  const { code, outputs, summary, everything } = await runAction({ event: push("a".repeat(40)), inputs });
  expect([code, outputs.result]).toEqual([0, "planned"]);
  const plan = JSON.parse(outputs.plan ?? "");
  expect(plan.action).toBe("revision");
  expect(plan.changes.map(({ path }: { path: string }) => path)).toEqual(["sourceRevisionConfig.repoRef", "secrets"]);
  expect(summary).toContain("| Field | Now | Then | Effect |");
  expect(everything).not.toContain(secretValue);
  expect(writesOf(mock)).toEqual(["POST /v2/deployments 201"]);
});

test.concurrent("a plan that a deploy would refuse fails", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock);
  const inputs = agentInputs(mock, { operation: "plan", "deployment-type": "prod" });
  const { code, log } = await runAction({ event: push("a".repeat(40)), inputs });
  expect(code).toBe(1);
  expect(log).toContain("A deploy would be refused: deployment-type can't change on a deployment");
});

test.concurrent("a failed rollout is rolled back to the last revision that was live, and still fails", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const { id, latest_revision_id: live } = await makeDeployment(mock);
  mock.transitions.set({ rules: [{ name: "*", fail: "DEPLOY_FAILED", times: 1 }] });
  const inputs = agentInputs(mock, { "on-failure": "rollback" });
  const { code, outputs, log, summary } = await runAction({ event: push("a".repeat(40)), inputs });
  expect([code, outputs.result, outputs.status, outputs["rolled-back-to"]]).toEqual([
    1,
    "failed",
    "DEPLOY_FAILED",
    live,
  ]);
  expect(log).toContain("Secrets were not restored");
  expect(summary).toContain("Rolled back to");
  const deployment = await ask(mock, "GET", `/v2/deployments/${id}`);
  expect(deployment.active_revision_id).toBe(deployment.latest_revision_id);
});

test.concurrent.each([
  ["ok", 0, "deployed"],
  ['{"assistant": "agent", "input": {"q": 1}, "match": "expected answer"}', 0, "deployed"],
  ['{"assistant": "agent", "match": "another answer"}', 1, "failed"],
  ['{"assistant": "missing"}', 1, "failed"],
])("a smoke test of %s ends with %i", async (smokeTest, status, outcome) => {
  const agentServer = {
    handle: async (_: unknown, path: string, context: RequestContext) => {
      if (path === "/ok") return jsonResponse(200, { ok: true });
      const body = JSON.parse(await context.readText()) as { assistant_id: string };
      const isKnown = path === "/runs/wait" && body.assistant_id === "agent";
      if (!isKnown) return jsonResponse(404, { detail: "Not Found" });
      return jsonResponse(200, { messages: ["the expected answer"] });
    },
  };
  await using mock = await startMockServerWith({ agentServer }, { port: 0, transitions: "immediate" });
  const inputs = agentInputs(mock, { "smoke-test": smokeTest });
  const { code, outputs, log } = await runAction({ event: push("a".repeat(40)), inputs });
  expect([code, outputs.result], log).toEqual([status, outcome]);
});

test.concurrent("an image is deployed to a self-hosted installation", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const inputs = {
    "api-key": apiKey,
    "base-url": mock.selfHostedUrl,
    name: "support-agent",
    "image-uri": "ghcr.io/acme/agent:1",
  };
  const first = await runAction({ event: { name: "push", ref: "refs/tags/v1" }, inputs });
  expect(first.outputs, first.log).toMatchObject({ result: "deployed", created: "true" });
  const second = await runAction({
    event: { name: "push", ref: "refs/tags/v2" },
    inputs: { ...inputs, "image-uri": "ghcr.io/acme/agent:2" },
  });
  expect(second.outputs, second.log).toMatchObject({ result: "deployed", created: "false" });
  expect(writesOf(mock)).toEqual(["POST /api-host/v2/deployments 201", "PATCH /api-host/v2/deployments/… 200"]);
});

test.concurrent("of two runs that both create, the slower one rolls out on what the faster one made", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock);
  // The run's first look-ups happen before the other run's creation.
  mock.faults.replace([
    {
      match: { method: "GET", path: "/v2/deployments" },
      times: 2,
      effect: { status: 200, body: { resources: [], offset: 0 } },
    },
  ]);
  const { outputs, log } = await runAction({ event: push("a".repeat(40)), inputs: agentInputs(mock) });
  expect(outputs, log).toMatchObject({ result: "deployed", created: "false" });
  expect(writesOf(mock)).toEqual([
    "POST /v2/deployments 201",
    "POST /v2/deployments 409",
    "PATCH /v2/deployments/… 200",
  ]);
});

test.concurrent("the integration is found from the repository", async () => {
  const other = {
    id: "11111111-1111-4111-8111-111111111111",
    name: "other",
    repositories: [{ url: "https://github.com/other/agents" }],
  };
  const own = { id: "22222222-2222-4222-8222-222222222222", name: "Acme", repositories: [{ url: repositoryUrl }] };
  await using mock = await startMockServer({ port: 0, transitions: "immediate", integrations: [other, own] });
  const inputs = agentInputs(mock, { "integration-id": "" });
  const { outputs, log } = await runAction({ event: push("a".repeat(40)), inputs });
  expect(outputs.result, log).toBe("deployed");
  expect((await deploymentsOf(mock))[0].source_config.integration_id).toBe(own.id);
});

test.concurrent.each([
  [{ status: 200, body: [] }, "The workspace has no integrations"],
  [{ status: 404 }, "The integrations of the workspace can't be listed"],
])("without an integration the deployment is created, and the log says so: %o", async (effect, doubt) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  mock.faults.replace([{ match: { path: "/v1/integrations/github/install" }, effect }]);
  const { code, log } = await runAction({
    event: push("a".repeat(40)),
    inputs: agentInputs(mock, { "integration-id": "" }),
  });
  expect(code, log).toBe(0);
  expect(log).toContain(doubt);
  expect(log).not.toMatch(/^::warning .*integration/m);
});

test.concurrent("a missing integration causes a warning only if the creation is refused", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const inputs = agentInputs(mock, { "integration-id": "" });
  const created = await runAction({ event: push("a".repeat(40)), inputs });
  expect(created.outputs.result, created.log).toBe("deployed");
  expect(created.log).not.toMatch(/^::warning .*integration/m);
  await using strict = await startMockServer({ port: 0 });
  strict.faults.replace([
    { match: { method: "POST", path: "/v2/deployments" }, effect: { status: 400, body: { detail: "no integration" } } },
  ]);
  const refused = await runAction({ event: push("a".repeat(40)), inputs: { ...inputs, "base-url": strict.url } });
  expect(refused.outputs.result).toBe("failed");
  expect(refused.log).toMatch(/^::warning .*The workspace's only integration doesn't list/m);
});

test.concurrent("a redeployment rolls the present ref out again, and needs a deployment", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const event = { name: "workflow_dispatch", ref: "refs/heads/other" };
  const inputs = agentInputs(mock, { operation: "redeploy" });
  const missing = await runAction({ event, inputs });
  expect([missing.code, missing.outputs.result]).toEqual([1, "failed"]);
  const { id } = await makeDeployment(mock);
  const again = await runAction({ event, inputs });
  expect(again.outputs, again.log).toMatchObject({ result: "deployed", created: "false" });
  const deployment = await ask(mock, "GET", `/v2/deployments/${id}`);
  expect(deployment.source_revision_config.repo_ref).toBe("main");
});

test.concurrent.each([
  ["acme/agents#deploy", 0, "deleted", 0],
  ["acme/other#deploy", 1, "failed", 1],
  [undefined, 1, "failed", 1],
])("a deletion of a deployment marked as %s ends with %i", async (marker, status, outcome, left) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, marker === undefined ? {} : ownedBy(marker));
  const inputs = agentInputs(mock, { operation: "delete" });
  const { code, outputs, log } = await runAction({
    event: { name: "workflow_dispatch", ref: "refs/heads/main" },
    inputs,
  });
  expect([code, outputs.result], log).toEqual([status, outcome]);
  expect(await deploymentsOf(mock)).toHaveLength(left);
});

test.concurrent("an unknown key is an error that says what to do", async () => {
  await using mock = await startMockServer({
    port: 0,
    apiKeys: { "another-key": ["11111111-1111-4111-8111-111111111111"] },
  });
  const { code, log, everything } = await runAction({ event: push("a".repeat(40)), inputs: agentInputs(mock) });
  expect(code).toBe(1);
  expect(log).toMatch(/::error title=graphdeploy%3A failed::GET \/v2\/deployments responded with 401/);
  expect(everything).not.toContain(apiKey);
});
