import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { pullRequest } from "../../kit/action/events.ts";
import {
  agentInputs,
  apiKey,
  ask,
  deploymentsOf,
  makeDeployment,
  repositoryUrl,
  secretValue,
  writesOf,
} from "../../kit/github/agents.ts";
import { runBundle } from "../../kit/github/run-bundle.ts";
import { FakeGitHub } from "../../kit/github/server.ts";
import { token } from "../../kit/github/step.ts";

// The committed bundle as a runner starts it; `test/unit/action/runs` runs the same code in the tests' process.

const push = { name: "push", ref: "refs/heads/main", sha: "a".repeat(40) };
const fastTime = { NODE_OPTIONS: `--import=${new URL("../../kit/github/fast-time.ts", import.meta.url)}` };

test("a preview's outputs, state, summary, comment and GitHub deployment are written, without a secret", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  mock.transitions.set({ rules: [{ name: "*", logLines: [`leak ${secretValue}`] }] });
  const { code, outputs, state, summary, log, postLog, everything } = await runBundle({
    event: { name: "pull_request", ref: "refs/pull/12/merge", payload: pullRequest("opened") },
    inputs: agentInputs(mock, { secrets: `TOKEN=${secretValue}`, "github-environment": "preview" }),
    githubUrl: github.url,
  });
  const [deployment] = await deploymentsOf(mock);
  expect([code, outputs.result], log).toEqual([0, "deployed"]);
  expect(outputs).toMatchObject({ "deployment-id": deployment.id, url: deployment.source_config.custom_url });
  expect(state).toMatchObject({ phase: "done", "deployment-id": deployment.id, result: "deployed" });
  expect(summary).toContain("✅ is live");
  expect(github.comments.get(12)?.[0]?.body).toContain("✅ is live");
  expect(github.deployments[0]?.states.map(({ state: name }) => name)).toEqual(["in_progress", "success"]);
  expect(postLog).toBe("");
  for (const secret of [secretValue, apiKey, token]) {
    expect(log).toContain(`::add-mask::${secret}\n`);
    expect(everything).not.toContain(secret);
    expect(github.written()).not.toContain(secret);
  }
});

test("invalid inputs are annotated one by one, and the step fails", async () => {
  await using mock = await startMockServer({ port: 0 });
  const { code, outputs, log } = await runBundle({
    event: push,
    inputs: agentInputs(mock, { name: "", timeout: "soon" }),
  });
  expect({ code, outputs }).toEqual({ code: 1, outputs: { result: "failed" } });
  expect(log.match(/::error title=graphdeploy%3A wrong input::\S+/g)).toHaveLength(2);
});

test("two steps of one job report side by side", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const job = await mkdtemp(join(tmpdir(), "graphdeploy-job-"));
  onTestFinished(() => rm(job, { recursive: true }));
  const step = (name: string) => runBundle({ event: push, inputs: agentInputs(mock, { name }), job });
  const [first, second] = await Promise.all([step("first-agent"), step("second-agent")]);
  expect(first.outputs.name).toBe("first-agent");
  expect(second.outputs.name).toBe("second-agent");
  expect(first.state["deployment-id"]).not.toBe(second.state["deployment-id"]);
  const both = await step("third-agent");
  for (const name of ["first-agent", "second-agent", "third-agent"])
    expect(both.summary).toContain(`**${name}** ✅ is live`);
});

test("where the platform doesn't build a push within two minutes, a revision of it is made", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const source_config = {
    repo_url: repositoryUrl,
    integration_id: "1b2f8a90-5f0e-4a6e-8a31-2f1d3c4b5a69",
    deployment_type: "dev",
    build_on_push: true,
  };
  const { id } = await makeDeployment(mock, { source_config });
  const { code, outputs, log } = await runBundle({ event: push, inputs: agentInputs(mock), env: fastTime });
  expect([code, outputs.result], log).toEqual([0, "deployed"]);
  expect(log).toContain(`Waiting for the platform's own build of commit ${push.sha}.`);
  expect(log).toContain(`The platform made no revision of commit ${push.sha}; making one.`);
  expect(writesOf(mock)).toEqual(["POST /v2/deployments 201", "PATCH /v2/deployments/… 200"]);
  expect((await ask(mock, "GET", `/v2/deployments/${id}/revisions`)).resources).toHaveLength(2);
});

test("a status that lasts is reported again every half a minute", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const event = { name: "repository_dispatch", ref: "refs/heads/main", payload: { action: "deploy" } };
  const { outputs, log } = await runBundle({ event, inputs: agentInputs(mock, { timeout: "3m" }), env: fastTime });
  expect(outputs.result, log).toBe("timed-out");
  expect(log.match(/^Still CREATING after .*\.$/gm)?.length, log).toBeGreaterThanOrEqual(3);
});
