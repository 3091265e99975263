import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { pullRequest } from "../../../kit/action/events.ts";
import { agentsFile, push, runFile } from "../../../kit/github/file-steps.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";
import { token } from "../../../kit/github/step.ts";

const event = push("a".repeat(40));

test("each problem of a file is annotated at its line, and the summary and the comment have them all", async () => {
  await using mock = await startMockServer({ port: 0 });
  await using github = await FakeGitHub.start();
  const file = agentsFile.replace("search: {}", "search: { sourec: github }").replace("[search]\n", "[serach]\n");
  const { code, outputs, log, summary } = await runFile(mock, {
    event: { name: "pull_request", ref: "refs/pull/12/merge", payload: pullRequest("opened") },
    file,
    githubUrl: github.url,
  });
  expect([code, outputs.result], log).toEqual([1, "failed"]);
  expect(log).toContain(
    "::error title=graphdeploy%3A wrong file,file=graphdeploy.yaml,line=7,col=13::graphdeploy.yaml:7:13: deployments.search.sourec",
  );
  expect(log).toContain("file=graphdeploy.yaml,line=9,col=");
  expect(log).toContain("graphdeploy.yaml has 2 problems, so nothing was sent.");
  for (const text of [summary, github.comments.get(12)?.[0]?.body]) {
    expect(text).toContain("- <code>graphdeploy.yaml:7:13</code> <code>deployments.search.sourec</code>");
    expect(text).toContain("❌ failed");
  }
  expect(mock.requests()).toEqual([]);
});

test("what is doubtful in a file is annotated as a warning, and applied", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const file = agentsFile.replace("search: {}", "search: { source_config: { resource_spec: { min_scal: 1 } } }");
  const { code, log } = await runFile(mock, { event, file, env: { TOKEN: "planted-0123" } });
  expect([code, log], log).toEqual([
    0,
    expect.stringContaining("::warning title=graphdeploy,file=graphdeploy.yaml,line=7,"),
  ]);
  expect(log).toContain("deployments.search.source_config.resource_spec.min_scal");
});

test("problems of inputs and of the file are reported together", async () => {
  await using mock = await startMockServer({ port: 0 });
  const { log } = await runFile(mock, { event, file: "version: 2", inputs: { name: "x", timeout: "soon" } });
  expect(log).toContain("::error title=graphdeploy%3A wrong input::name: can't be given with config");
  expect(log).toContain("::error title=graphdeploy%3A wrong input::timeout: ");
  expect(log).toContain("::error title=graphdeploy%3A wrong file,file=graphdeploy.yaml,line=1");
});

test("a secret that GitHub doesn't have is missed at its line, unless it may be empty", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const missing = await runFile(mock, { event, env: { TOKEN: "" } });
  expect(missing.code).toBe(1);
  expect(missing.log).toContain("needs the environment variable TOKEN, which isn't set.");
  expect(mock.requests()).toEqual([]);
  const allowed = await runFile(mock, { event, env: { TOKEN: "" }, inputs: { "allow-empty": "TOKEN" } });
  expect(allowed.outputs.result, allowed.log).toBe("deployed");
});

test.each([
  ["a file that isn't there", { config: "other.yaml" }, {}, "config: There is no file other.yaml in the checkout"],
  ["a file outside", { config: "../graphdeploy.yaml" }, {}, "config: is not a file inside the checkout."],
  ["the job's own token", {}, { TOKEN: token }, "config: The file fills in the job's own token"],
  ["an unknown environment", { environment: "prod" }, {}, "prod"],
  ["an unknown key", { only: "serach" }, {}, "only: the file has no deployment serach. It has search, support."],
])("%s is refused", async (_, inputs, env, message) => {
  await using mock = await startMockServer({ port: 0 });
  const { code, log } = await runFile(mock, { event, inputs, env });
  expect(code, log).toBe(1);
  expect(log).toContain(message);
  expect(mock.requests()).toEqual([]);
});

test("without a key a run may be skipped, and its missing values are no problem", async () => {
  await using mock = await startMockServer({ port: 0 });
  const inputs = { "api-key": "", "on-missing-credentials": "skip" };
  const { code, outputs, log } = await runFile(mock, { event, inputs, env: { TOKEN: "" } });
  expect([code, outputs.result], log).toEqual([0, "skipped"]);
});

test("a deletion with a broken file goes by the markers alone", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await runFile(mock, { event });
  const { outputs, log } = await runFile(mock, { event, file: "version: 2", inputs: { operation: "delete" } });
  expect([outputs.result, outputs.changes], log).toEqual(["deleted", "2"]);
});
