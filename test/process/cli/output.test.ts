import { once } from "node:events";
import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { createCommandProject, secret, writesOf } from "../../kit/cli/command.ts";
import { agents } from "../../kit/files.ts";

const file = agents(`  search: {}
  chat: { depends_on: [search], secrets: { MODEL_API_KEY: "\${MODEL_API_KEY}" } }`);

test("plan --json prints one document", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url);
  project.write("graphdeploy.yaml", file);
  const { code, stdout } = await project.run("plan", "--json");
  expect(code).toBe(0);
  const plan = JSON.parse(stdout);
  expect(plan).toMatchObject({
    deployments: [
      { key: "search", name: "search", action: "create", depends_on: [] },
      { key: "chat", action: "create", content: [], notes: [], depends_on: ["search"] },
    ],
    undeclared: [],
    prunes: false,
    summary: { create: 2, revision: 0, patch: 0, delete: 0, unchanged: 0, follow: 0, refused: 0 },
  });
  expect(plan.deployments[1].changes).toContainEqual({
    path: "source_revision_config.repo_ref",
    effect: "create",
    reason: "is set when the deployment is created",
    to: "main",
  });
});

test("apply --json and destroy --json print an event a line", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url);
  project.write("graphdeploy.yaml", file);
  const applied = await project.run("apply", "--yes", "--json");
  expect([applied.code, applied.stderr]).toEqual([0, ""]);
  const events = applied.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const of = (key: string) => events.filter((event) => event.key === key).map(({ event }) => event);
  expect([events[0].event, events.at(-1)]).toEqual(["plan", { event: "end", exit_code: 0 }]);
  expect(of("chat")).toEqual(["deployment", "revision", "status", "outcome"]);
  expect(events.find(({ event, key }) => event === "outcome" && key === "chat")).toEqual({
    event: "outcome",
    key: "chat",
    name: "chat",
    result: "created",
    deployment_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    revision_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    url: expect.stringMatching(/^http:/),
    content: [],
    duration_ms: expect.any(Number),
  });
  const destroyed = await project.run("destroy", "--yes", "--json");
  const ends = destroyed.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(ends.filter(({ event }) => event === "outcome").map(({ key, result }) => `${key} ${result}`)).toEqual([
    "chat deleted",
    "search deleted",
  ]);
});

test("a failed rollout ends with its log, fails what depends on it, and exits with 1", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url);
  project.write("graphdeploy.yaml", file);
  const lines = ["npm error: no such package", `the key is ${secret}`, "\u001b[2Jcleared"];
  mock.transitions.set({ rules: [{ name: "search", fail: "BUILD_FAILED", logLines: lines }] });
  const { code, stdout } = await project.run("apply", "--yes");
  expect(code).toBe(1);
  expect(stdout).toContain("search: failed");
  expect(stdout).toContain("    npm error: no such package\n    the key is [redacted]\n    cleared\n");
  expect(stdout).toContain("chat: skipped: search isn't live, and chat depends on it.\n");
  expect(stdout).toContain("\nDone: 1 failed, 1 skipped\n");

  const logs = await project.run("logs", "search", "--build");
  expect([logs.code, logs.stdout]).toEqual([0, expect.stringContaining("the key is [redacted]\ncleared\n")]);
  mock.transitions.set({ rules: [] });
  const plan = await project.run("plan");
  expect(plan.stdout).toMatch(/~ search: roll out a new revision\n {4}the latest revision ended as BUILD_FAILED\n/);
  expect(await project.run("apply", "--yes")).toMatchObject({ code: 0 });
  expect(await project.run("redeploy", "search", "chat")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Done: 2 updated"),
  });
  const status = await project.run("status");
  expect(status.stdout).toMatch(/^chat {4}chat {4}DEPLOYED\n {2}revision \S+ serves\n {2}http:\S+$/m);
});

test.each([
  [["apply"], 2, "error: there is no terminal to confirm in: pass --yes"],
  [["destroy"], 2, "error: there is no terminal to confirm in: pass --yes"],
  [["plan", "none.yaml"], 2, "error: There is no file none.yaml."],
  [["plan", "--commit", "abc"], 2, "A commit is a full SHA of 40 digits."],
  [["plan", "--repository", "acme"], 2, "A repository is written owner/name."],
  [["plan", "--preview", "x"], 2, "A pull request is a whole number from 1."],
  [["plan", "--only", "a,,b"], 2, "Keys are separated by single commas."],
  [["plan", "--detailed-exitcode", "--nope"], 1, "error: unknown option '--nope'"],
  [["apply", "--yes", "--timeout", "soon"], 2, "is not a duration"],
  [["apply", "--yes", "--parallel", "0"], 2, "is a whole number from 1."],
  [["plan", "--only", "nope"], 1, "error: the file has no deployment nope. It has search, chat."],
  [["logs", "nope"], 1, "error: the file has no deployment nope. It has search, chat."],
  [["logs", "chat"], 1, "error: There is no deployment chat yet. Apply the file first."],
  [["rollback"], 2, "error: missing required argument 'key'"],
  [["plan", "--region", "mars"], 1, 'error: region: "mars" is unknown.'],
  [["plan", "--api-key-env", "NONE"], 1, "error: --api-key-env: the environment variable NONE is not set."],
])("%j exits with %i", async (args, code, message) => {
  await using mock = await startMockServer({ port: 0 });
  using project = createCommandProject(mock.url);
  project.write("graphdeploy.yaml", file);
  const result = await project.run(...args);
  expect([result.code, result.stdout]).toEqual([code, ""]);
  expect(result.stderr).toContain(message);
  expect(writesOf(mock)).toEqual([]);
});

test("all problems of the file and of the settings are printed before anything is sent", async () => {
  using project = createCommandProject("ftp://host", { GRAPHDEPLOY_API_KEY: "" });
  project.write(
    "graphdeploy.yaml",
    file.replace("MODEL_API_KEY: ", "depends: ").replace("search: {}", "search: { nam: a }"),
  );
  const result = await project.run("apply", "--yes");
  expect(result.code).toBe(1);
  expect(result.stdout).toContain("deployments.search.nam: is not a known key. Did you mean name?\n");
  expect(result.stderr).toMatch(/^error: No API key: .*\nerror: --base-url: "ftp:\/\/host\/" isn't https/m);
});

test("a reader that closes the pipe doesn't end the apply", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url);
  project.write("graphdeploy.yaml", file);
  const child = project.start("apply", "--yes");
  child.stdout.once("data", () => child.stdout.destroy());
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(writesOf(mock)).toHaveLength(2);
});

test("colors follow FORCE_COLOR, and a pipe has none", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url, { FORCE_COLOR: "1" });
  project.write("graphdeploy.yaml", file);
  expect((await project.run("plan")).stdout).toContain("\u001b[32m+ search: create");
});

test("secrets that are words of the events leave the events as they are", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url);
  const words = "{ A: event, B: deployment, C: created, D: outcome }";
  project.write("graphdeploy.yaml", agents(`  chat: { secrets: ${words} }`));
  const { code, stdout } = await project.run("apply", "--yes", "--json");
  expect(code).toBe(0);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(["plan", "deployment", "outcome", "end"]));
  expect(events.find(({ event }) => event === "outcome")).toMatchObject({ key: "chat", result: "created" });
});

test("control sequences in keys of a file don't reach the terminal, and secrets that can't be redacted are named", async () => {
  await using mock = await startMockServer({ port: 0 });
  using project = createCommandProject(mock.url);
  const escapes = '"x\\e[31m\\e]0;t\\a"';
  project.write("graphdeploy.yaml", agents("  chat: {}", `environments: { ${escapes}: {} }`));
  const { code, stdout } = await project.run("validate", "--environment", "nope");
  expect(code).toBe(1);
  expect(stdout).not.toContain("\u0007");
  project.write(
    "graphdeploy.yaml",
    agents("  chat: { secrets: { SHORT: abc } }\n  other: { secrets: { SHORT: a-long-value } }"),
  );
  expect((await project.run("plan")).stderr).toContain("chat.SHORT (");
});
