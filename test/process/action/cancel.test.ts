import { expect, test } from "vitest";
import { type MockServer, startMockServer } from "../../../mock-server/server.ts";
import { agentInputs } from "../../kit/github/agents.ts";
import { runBundle } from "../../kit/github/run-bundle.ts";
import { FakeGitHub } from "../../kit/github/server.ts";
import type { ActionResult } from "../../kit/github/step.ts";

interface CancelOptions {
  /** What the log must say before each signal is sent. */
  when: RegExp;
  signals: readonly NodeJS.Signals[];
  prepare?: (mock: MockServer) => unknown;
}

async function cancelled({ when, signals, prepare }: CancelOptions): Promise<ActionResult & { github: FakeGitHub }> {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  await using github = await FakeGitHub.start();
  await prepare?.(mock);
  const left = [...signals];
  const result = await runBundle({
    event: { name: "push", ref: "refs/heads/main", sha: "a".repeat(40) },
    githubUrl: github.url,
    inputs: agentInputs(mock, { "github-environment": "production" }),
    onOutput: (log, child) => {
      if (left.length > 0 && when.test(log)) child.kill(left.shift());
    },
  });
  return { ...result, github };
}

test.concurrent.each([{ signals: ["SIGINT"] }, { signals: ["SIGTERM"] }, { signals: ["SIGINT", "SIGTERM"] }] as const)(
  "$signals leaves the rollout alone and says so",
  async ({ signals }) => {
    const { github, ...result } = await cancelled({ signals, when: /^CREATING /m });
    expect(result.code, result.log).toBe(1);
    expect(result.outputs).toMatchObject({ result: "cancelled", status: "CREATING" });
    expect(result.mainLog).toContain(`Received ${signals[0]}`);
    expect(result.mainLog).toContain("continues on the platform and may still go live");
    expect(result.postLog).toBe("");
    expect(result.summary).toContain("⏹️ was cancelled");
    expect(github.deployments[0]?.states.map(({ state }) => state)).toEqual(["in_progress", "inactive"]);
  },
);

test.concurrent("a signal during a creation without a response ends the step in time", async () => {
  const { github, ...result } = await cancelled({
    signals: ["SIGINT"],
    // The second look-up of the name is over, so the creation is in progress.
    when: /(GET \/v2\/deployments 200[\s\S]*){2}/,
    prepare: (mock) =>
      mock.faults.replace([{ match: { method: "POST", path: "/v2/deployments" }, effect: { latency: "30s" } }]),
  });
  expect([result.code, result.outputs.result]).toEqual([1, "cancelled"]);
  expect(result.log).toContain("run again to see");
  expect(github.deployments[0]?.states.map(({ state }) => state)).toEqual(["in_progress", "inactive"]);
});
