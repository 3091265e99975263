import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { pullRequest } from "../../kit/action/events.ts";
import { apiKey, deploymentsOf, pushTo, secretValue, writesOf } from "../../kit/github/agents.ts";
import { agentsFile, type FileStep, fileStep, push } from "../../kit/github/file-steps.ts";
import { runBundle } from "../../kit/github/run-bundle.ts";
import { FakeGitHub } from "../../kit/github/server.ts";
import { token } from "../../kit/github/step.ts";

// The committed bundle as a runner starts it; `test/unit/action/files` runs the same code in the tests' process.

test("a file is planned, applied, left alone, and deleted, without a secret", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const run = (step: FileStep) =>
    runBundle(fileStep(mock, { ...step, env: { TOKEN: secretValue }, githubUrl: github.url }));
  const opened = { name: "pull_request", ref: "refs/pull/12/merge", payload: pullRequest("opened") };
  const planned = await run({ event: opened });
  expect([planned.outputs.result, planned.outputs.changes], planned.log).toEqual(["planned", "2"]);
  expect(github.comments.get(12)?.[0]?.body).toContain("Plan: 2 to create.");
  const sha = await pushTo(mock);
  const applied = await run({ event: push(sha), inputs: { "github-environment": "production" } });
  expect([applied.outputs.result, applied.outputs.changes], applied.log).toEqual(["deployed", "2"]);
  expect(applied.state).toMatchObject({ phase: "done", result: "deployed", "in-progress": "" });
  expect(applied.summary).toContain("✅ created");
  expect(github.deployments[0]?.states.map(({ state }) => state)).toEqual(["in_progress", "success"]);
  const before = writesOf(mock).length;
  const again = await run({ event: push(sha) });
  expect([again.outputs.result, again.outputs.changes], again.log).toEqual(["deployed", "0"]);
  expect(writesOf(mock)).toHaveLength(before);
  const event = { name: "workflow_dispatch", ref: "refs/heads/main", sha };
  const deleted = await run({ event, inputs: { operation: "delete" } });
  expect(deleted.outputs.result, deleted.log).toBe("deleted");
  expect(await deploymentsOf(mock)).toEqual([]);
  for (const { everything, postLog } of [planned, applied, again, deleted]) {
    expect(postLog).toBe("");
    for (const secret of [secretValue, apiKey, token]) expect(everything + github.written()).not.toContain(secret);
  }
});

test("a broken file is annotated at its lines", async () => {
  await using mock = await startMockServer({ port: 0 });
  const step = { event: push("a".repeat(40)), file: agentsFile.replace("search: {}", "search: { sourec: github }") };
  const options = fileStep(mock, step);
  const { code, log } = await runBundle(options);
  expect(code).toBe(1);
  expect(log).toMatch(/^::error title=graphdeploy%3A wrong file,file=graphdeploy.yaml,line=7,col=13::/m);
});

test("after a kill, the post step names what is in progress", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  await using github = await FakeGitHub.start();
  const inputs = { "github-environment": "production" };
  const options = fileStep(mock, {
    event: push(await pushTo(mock)),
    inputs,
    githubUrl: github.url,
  });
  let isKilled = false;
  const { code, outputs, postLog } = await runBundle({
    ...options,
    onOutput: (log, child) => {
      if (!isKilled && log.includes("search: CREATING")) isKilled = child.kill("SIGKILL");
    },
  });
  expect(code).toBeNull();
  expect(JSON.parse(outputs.deployments ?? "{}")).toMatchObject({ search: {}, support: {} });
  expect(postLog).toMatch(/In progress: search \(deployment \S+, revision \S+\)\./);
  expect(github.deployments[0]?.states.at(-1)?.state).toBe("inactive");
});

test("a signal leaves the rollouts alone, and says what is known", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const options = fileStep(mock, { event: push(await pushTo(mock)) });
  let isSent = false;
  const { code, outputs, mainLog, postLog } = await runBundle({
    ...options,
    onOutput: (log, child) => {
      if (!isSent && log.includes("search: CREATING")) isSent = child.kill("SIGINT");
    },
  });
  expect([code, outputs.result, postLog], mainLog).toEqual([1, "cancelled", ""]);
  expect(mainLog).toContain("Received SIGINT");
  expect(mainLog).toContain("search: It continues on the platform (deployment ");
});
