import type { ChildProcess } from "node:child_process";
import { expect, test } from "vitest";
import { type MockServer, startMockServer } from "../../../mock-server/server.ts";
import { agentInputs, ask, deploymentsOf } from "../../kit/github/agents.ts";
import { type ActionOptions, type ActionResult, runAction } from "../../kit/github/run-action.ts";
import { FakeGitHub } from "../../kit/github/server.ts";

const push = { name: "push", ref: "refs/heads/main", sha: "a".repeat(40) };

interface CancelOptions extends Partial<ActionOptions> {
  /** What the log must say before the signal is sent. */
  when: string | RegExp;
  signal: NodeJS.Signals;
  inputs?: Record<string, string>;
  prepare?: (mock: MockServer) => unknown;
}

async function cancelled(
  options: CancelOptions,
): Promise<{ result: ActionResult; github: FakeGitHub; mock: MockServer }> {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  await using github = await FakeGitHub.start();
  await options.prepare?.(mock);
  let sent = false;
  const result = await runAction({
    event: push,
    githubUrl: github.url,
    ...options,
    inputs: agentInputs(mock, { "github-environment": "production", ...options.inputs }),
    onOutput: (log: string, child: ChildProcess) => {
      const isTime = typeof options.when === "string" ? log.includes(options.when) : options.when.test(log);
      if (sent || !isTime) return;
      sent = true;
      child.kill(options.signal);
    },
  });
  return { result, github, mock };
}

test.each([
  ["SIGINT", "CREATING"],
  ["SIGTERM", "CREATING"],
] as const)("%s in %s leaves the rollout alone and says so", async (signal, status) => {
  const { result, github } = await cancelled({
    signal,
    when: new RegExp(`^${status} `, "m"),
    prepare: (mock) => mock.transitions.set({ rules: [{ name: "*", mode: "time:50ms", stick: status }] }),
  });
  expect(result.code, result.log).toBe(1);
  expect(result.outputs).toMatchObject({ result: "cancelled", status });
  expect(result.mainLog).toContain(`Received ${signal}`);
  expect(result.mainLog).toContain("continues on the platform and may still go live");
  expect(result.postLog).toBe("");
  expect(result.summary).toContain("⏹️ was cancelled");
  expect(github.deployments[0]?.states.map(({ state }) => state)).toEqual(["in_progress", "inactive"]);
});

test("a cancelled run can interrupt its revision", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  let sent = false;
  const result = await runAction({
    event: push,
    inputs: agentInputs(mock, { "on-cancel": "interrupt" }),
    onOutput: (log, child) => {
      if (sent || !log.includes("CREATING")) return;
      sent = true;
      child.kill("SIGINT");
    },
  });
  expect(result.outputs.result).toBe("cancelled");
  expect(result.log).toContain("that the platform interrupt revision");
  const [{ id, latest_revision_id: revision }] = await deploymentsOf(mock);
  expect((await ask(mock, "GET", `/v2/deployments/${id}/revisions/${revision}`)).status).toBe("INTERRUPTED");
});

test.each(["SIGINT", "SIGTERM"] as const)("%s while the name is looked up changes nothing", async (signal) => {
  const { result, mock } = await cancelled({
    signal,
    when: "graphdeploy: deploy",
    prepare: (server) =>
      server.faults.replace([{ match: { method: "GET", path: "/v2/deployments" }, effect: { latency: "30s" } }]),
  });
  expect(result.outputs.result).toBe("cancelled");
  expect(result.log).toContain("Cancelled before a revision was known");
  expect(mock.requests({ method: "POST" })).toEqual([]);
});

test("a signal during a creation without a response ends the step in time", async () => {
  const { result, github } = await cancelled({
    signal: "SIGINT",
    // The second look-up of the name is over, so the creation is in progress.
    when: /(GET \/v2\/deployments 200[\s\S]*){2}/,
    prepare: (mock) =>
      mock.faults.replace([{ match: { method: "POST", path: "/v2/deployments" }, effect: { latency: "30s" } }]),
  });
  expect([result.code, result.outputs.result]).toEqual([1, "cancelled"]);
  expect(result.log).toContain("run again to see");
  expect(github.deployments[0]?.states.map(({ state }) => state)).toEqual(["in_progress", "inactive"]);
});

test("after a kill, the post step says what continues and closes the GitHub deployment", async () => {
  const { result, github } = await cancelled({ signal: "SIGKILL", when: "CREATING" });
  expect(result.code).toBeNull();
  expect(result.outputs["revision-id"]).toBeTruthy();
  expect(result.outputs["deployment-id"]).toBeTruthy();
  expect(result.postLog).toContain(`Revision ${result.outputs["revision-id"]} continues on the platform`);
  expect(github.deployments[0]?.states.map(({ state }) => state)).toEqual(["in_progress", "inactive"]);
});

test("a second signal changes nothing about the first", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  let signals = 0;
  const { code, outputs } = await runAction({
    event: push,
    inputs: agentInputs(mock),
    onOutput: (log, child) => {
      if (!log.includes("CREATING") || signals > 1) return;
      signals += 1;
      child.kill(signals === 1 ? "SIGINT" : "SIGTERM");
    },
  });
  expect([code, outputs.result]).toEqual([1, "cancelled"]);
});
