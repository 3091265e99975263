import { expect, test } from "vitest";
import { type MockServer, startMockServer } from "../../../../mock-server/server.ts";
import {
  agentInputs,
  apiKey,
  ask,
  deploymentsOf,
  makeDeployment,
  pushTo,
  secretValue,
} from "../../../kit/github/agents.ts";
import { startMaskingPlatform } from "../../../kit/github/masking-platform.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";
import type { ActionResult } from "../../../kit/github/step.ts";

const push = (sha: string) => ({ name: "push", ref: "refs/heads/main", sha });
const secondAttempt = { GITHUB_RUN_ATTEMPT: "2" };

async function revisionsOf(mock: MockServer): Promise<{ id: string; status: string }[]> {
  const [{ id }] = await deploymentsOf(mock);
  return (await ask(mock, "GET", `/v2/deployments/${id}/revisions`)).resources;
}

/** Advances each revision to its final status as soon as the run follows it. */
function continueRollout(mock: MockServer, end = "DEPLOYED") {
  const ended = new Set<string>();
  return (log: string) => {
    for (const [, id = ""] of log.matchAll(/Following revision ([0-9a-f-]{36})/g)) {
      if (ended.has(id)) continue;
      ended.add(id);
      void mock.revisions.advance(id, end);
    }
  };
}

test.concurrent.each<
  [string, (inputs: Record<string, string>, mock: MockServer, sha: string) => Promise<ActionResult>]
>([
  ["timed out", (inputs, _, sha) => runAction({ event: push(sha), inputs: { ...inputs, timeout: "1s" } })],
  ["didn't wait", (inputs, _, sha) => runAction({ event: push(sha), inputs: { ...inputs, wait: "false" } })],
  ["was cancelled", (inputs, _, sha) => cancelled(inputs, sha)],
])("a re-run of one that %s follows the same revision to its end", async (_, firstAttempt) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock);
  mock.transitions.set({ mode: "manual" });
  const commit = await pushTo(mock);
  const inputs = agentInputs(mock, { secrets: `TOKEN=${secretValue}`, env: "MODE=a", timeout: "2m" });
  const first = await firstAttempt(inputs, mock, commit);
  expect(first.outputs["revision-id"], first.log).toBeTruthy();
  const second = await runAction({ event: push(commit), inputs, env: secondAttempt, onOutput: continueRollout(mock) });
  expect(second.outputs, second.log).toMatchObject({
    result: "deployed",
    "revision-id": first.outputs["revision-id"],
    "commit-matches": "true",
    created: "false",
  });
  expect(second.log).toContain("and deploys the same: following it instead of creating another");
  expect(await revisionsOf(mock)).toHaveLength(2);
});

function cancelled(inputs: Record<string, string>, sha: string): Promise<ActionResult> {
  return runAction({
    event: push(sha),
    inputs,
    onOutput: (log, cancel) => {
      if (log.includes("CREATING")) cancel();
    },
  });
}

test.concurrent.each<[string, Record<string, string>, boolean, string]>([
  ["another commit", {}, true, "is of commit"],
  ["another secret", { secrets: "TOKEN=another-secret-value" }, false, "what is declared differs from it: secrets"],
  ["another path", { "graph-config-path": "other.json" }, false, "sourceRevisionConfig.graphConfigPath"],
])("a run with %s makes a new revision, and says why", async (_, changes, isPushed, reason) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock);
  mock.transitions.set({ mode: "manual" });
  const commit = await pushTo(mock);
  const inputs = agentInputs(mock, { secrets: `TOKEN=${secretValue}`, wait: "false" });
  const first = await runAction({ event: push(commit), inputs });
  const event = push(isPushed ? await pushTo(mock) : commit);
  const second = await runAction({ event, inputs: { ...inputs, ...changes }, env: secondAttempt });
  expect(second.outputs.result, second.log).toBe("started");
  expect(second.outputs["revision-id"]).not.toBe(first.outputs["revision-id"]);
  expect(second.log).toContain("a new one takes its place, because ");
  expect(second.log).toContain(reason);
  expect(second.everything).not.toContain("another-secret-value");
});

test.concurrent("a revision that was followed before its commit was known, and is of another, is rolled out again", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const { id } = await makeDeployment(mock);
  mock.transitions.set({ mode: "manual" });
  const inputs = agentInputs(mock);
  const first = await runAction({ event: push(await pushTo(mock)), inputs: { ...inputs, wait: "false" } });
  const path = `/v2/deployments/${id}/revisions/${first.outputs["revision-id"]}`;
  const revision = await ask(mock, "GET", path);
  const config = { ...revision.source_revision_config, repo_commit_sha: null };
  mock.faults.replace([
    {
      match: { method: "GET", path },
      times: 1,
      effect: { status: 200, body: { ...revision, source_revision_config: config } },
    },
  ]);
  const commit = await pushTo(mock);
  const second = await runAction({ event: push(commit), inputs, onOutput: continueRollout(mock) });
  expect(second.log).toContain("following it instead of creating another");
  expect(second.log).toContain("was built from commit");
  expect(second.outputs).toMatchObject({ result: "deployed", commit, "commit-matches": "true" });
  expect(second.outputs["revision-id"]).not.toBe(first.outputs["revision-id"]);
});

test.concurrent("where the platform hides values, a re-run follows the revision that its GitHub deployment names, and no other", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using platform = await startMaskingPlatform(mock.url);
  await using github = await FakeGitHub.start();
  await makeDeployment(mock, { secrets: [{ name: "TOKEN", value: secretValue }] });
  mock.transitions.set({ mode: "manual" });
  const commit = await pushTo(mock);
  const inputs = {
    ...agentInputs(mock, { secrets: `TOKEN=${secretValue}`, "github-environment": "{name}", wait: "false" }),
    "base-url": platform.url,
  };
  const run = (env: Record<string, string>) => runAction({ event: push(commit), inputs, env, githubUrl: github.url });
  const first = await run({});
  const again = await run(secondAttempt);
  expect(again.outputs["revision-id"], again.log).toBe(first.outputs["revision-id"]);
  const another = await run({ GITHUB_RUN_ID: "78" });
  expect(another.outputs["revision-id"], another.log).not.toBe(first.outputs["revision-id"]);
  expect(another.log).toContain("the platform hides the environment's values");
});

test.concurrent("a re-run of a redeployment follows what the first attempt began", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock);
  mock.transitions.set({ mode: "manual" });
  const event = { name: "workflow_dispatch", ref: "refs/heads/main" };
  const inputs = agentInputs(mock, { operation: "redeploy" });
  const first = await runAction({ event, inputs: { ...inputs, timeout: "1s" } });
  expect(first.outputs.result, first.log).toBe("timed-out");
  const second = await runAction({ event, inputs, env: secondAttempt, onOutput: continueRollout(mock) });
  expect(second.outputs, second.log).toMatchObject({
    result: "deployed",
    "revision-id": first.outputs["revision-id"],
  });
  expect(await revisionsOf(mock)).toHaveLength(2);
});

test.concurrent("the log of a revision that is followed shows no secret that only the platform has", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, { secrets: [{ name: "BY_HAND", value: secretValue }] });
  mock.transitions.set({ rules: [{ name: "*", mode: "manual", logLines: [`leak ${secretValue}`] }] });
  const event = { name: "workflow_dispatch", ref: "refs/heads/main" };
  const inputs = agentInputs(mock, { operation: "redeploy" });
  await runAction({ event, inputs: { ...inputs, wait: "false" } });
  const onOutput = continueRollout(mock, "BUILD_FAILED");
  const { outputs, log, everything } = await runAction({ event, inputs, env: secondAttempt, onOutput });
  expect(outputs, log).toMatchObject({ result: "failed", status: "BUILD_FAILED" });
  expect(log).toContain("leak [redacted]");
  expect(everything).not.toContain(secretValue);
});

test.concurrent("an image with its commit in the tag is followed, and one whose tag moves is rolled out again", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const sha = "c".repeat(40);
  const run = (tag: string) =>
    runAction({
      event: push(sha),
      inputs: {
        "api-key": apiKey,
        "base-url": mock.selfHostedUrl,
        name: "support-agent",
        "image-uri": `ghcr.io/acme/agent:${tag}`,
        wait: "false",
      },
    });
  const revisions: (string | undefined)[] = [];
  for (const tag of [sha, sha, "latest", "latest"]) revisions.push((await run(tag)).outputs["revision-id"]);
  const [first, second, third, fourth] = revisions;
  expect(first).toBeTruthy();
  expect(second).toBe(first);
  expect(fourth).not.toBe(third);
});

test.concurrent("a live revision of the same commit is rolled out again", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const commit = await pushTo(mock);
  const run = () => runAction({ event: push(commit), inputs: agentInputs(mock), env: secondAttempt });
  const first = await run();
  const second = await run();
  expect([first.outputs.result, second.outputs.result], second.log).toEqual(["deployed", "deployed"]);
  expect(second.outputs["revision-id"]).not.toBe(first.outputs["revision-id"]);
});
