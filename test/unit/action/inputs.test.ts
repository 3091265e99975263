import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { declare } from "../../../action/declaration.ts";
import { possibleValues, readEnvironment } from "../../../action/environment-input.ts";
import type { InputName } from "../../../action/input-defaults.ts";
import { findingsOf, readInputs } from "../../../action/inputs.ts";
import { readSmokeTest } from "../../../action/smoke-test-input.ts";
import { someEvent } from "../../kit/action/events.ts";

const right = { "api-key": "key-of-the-test", name: "support-agent", "graph-config-path": "graph.json" };

function read(given: Partial<Record<InputName, string>>, env: Record<string, string> = {}) {
  const kept: string[] = [];
  const result = readInputs({
    get: (name) => given[name] ?? "",
    env,
    event: someEvent({}),
    keepSecret: (value) => kept.push(value),
  });
  return { ...result, kept };
}

test("what isn't given takes its default", () => {
  const { inputs, problems } = read(right);
  expect(problems).toEqual([]);
  expect(inputs).toMatchObject({
    operation: "auto",
    wait: true,
    timeoutMs: 1_800_000,
    onSuperseded: "fail",
    previewName: "{name}-pr-{number}",
    declared: { source: "github", sourceConfig: { repoUrl: "https://github.com/acme/agents" } },
  });
  expect(inputs.settings).toMatchObject({ apiKey: "key-of-the-test", baseUrl: "https://api.host.langchain.com" });
});

test("all problems are reported together, each with the name of its input", () => {
  const { problems } = read({
    region: "mars",
    operation: "destroy",
    timeout: "soon",
    wait: "maybe",
    secrets: "NOT A PAIR",
    env: '{"A": {}}',
    ref: "a".repeat(40),
    sha: "abc",
    "preview-name": "preview",
    "on-cancel": "explode",
    "working-directory": "../other",
    "smoke-test": "{",
  });
  expect(problems.map(({ input }) => input).sort()).toEqual([
    "api-key",
    "env",
    "name",
    "on-cancel",
    "operation",
    "preview-name",
    "ref",
    "region",
    "secrets",
    "sha",
    "smoke-test",
    "timeout",
    "wait",
    "working-directory",
  ]);
});

test.each([
  ["12", 12],
  [" 7 ", 7],
  ["", undefined],
])("the input pull-request %j is %s", (text, number) => {
  const { inputs, problems } = read({ ...right, "pull-request": text });
  expect([problems, inputs.pullRequest]).toEqual([[], number]);
});

test("an image makes the source external_docker, which needs no configuration file", () => {
  const { inputs } = read({ ...right, "graph-config-path": "", "image-uri": "ghcr.io/acme/agent:1" });
  const desired = declare(inputs.declared, "support-agent", { ref: "refs/tags/v1" });
  expect(desired).toMatchObject({ source: "external_docker", sourceRevisionConfig: { repoRef: undefined } });
  expect(findingsOf(desired).problems).toEqual([]);
});

test("what is declared is checked in the names of the inputs", () => {
  const { inputs } = read({
    ...right,
    "graph-config-path": "",
    "build-on-push": "true",
    secrets: "PORT=1",
    env: "PORT=2",
  });
  const desired = declare(inputs.declared, "support-agent", { ref: "refs/tags/v1" });
  const reported = findingsOf(desired).problems.map(({ input, message }) => `${input}: ${message}`);
  expect(reported).toHaveLength(4);
  expect(reported.join("\n")).toContain("graph-config-path: is required for the source github");
  expect(reported.join("\n")).toContain("build-on-push: must be false with the tag refs/tags/v1");
  expect(reported.join("\n")).toContain("secrets: PORT is reserved");
});

test("a tag switches off the builds on push", () => {
  const { inputs } = read(right);
  const source = { commit: undefined, isPush: false };
  expect(declare(inputs.declared, "a", { ...source, ref: "refs/tags/v1" }).sourceConfig?.buildOnPush).toBe(false);
  expect(declare(inputs.declared, "a", { ...source, ref: "main" }).sourceConfig?.buildOnPush).toBeUndefined();
});

test("the configuration file is looked for in the working directory", async () => {
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-inputs-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "agents/support"), { recursive: true });
  await writeFile(join(folder, "agents/support/langgraph.json"), "{}");
  const given = { ...right, "graph-config-path": "", "working-directory": "./agents/support/" };
  const { inputs } = read(given, { GITHUB_WORKSPACE: folder });
  expect(inputs.declared.sourceRevisionConfig?.graphConfigPath).toBe("agents/support/langgraph.json");
  const named = read({ ...given, "graph-config-path": "other.json" }, { GITHUB_WORKSPACE: folder });
  expect(named.inputs.declared.sourceRevisionConfig?.graphConfigPath).toBe("agents/support/other.json");
});

test("a missing key fails or is skipped, and a key that can't be used always fails", () => {
  expect(read({ ...right, "api-key": "" }).problems).toMatchObject([{ input: "api-key" }]);
  const skipped = read({ ...right, "api-key": "", "on-missing-credentials": "skip" });
  expect(skipped).toMatchObject({ problems: [], inputs: { settings: undefined } });
  expect(read({ ...right, "api-key": "two words", "on-missing-credentials": "skip" }).problems).toHaveLength(1);
  expect(read({ ...right, "api-key": "", "on-missing-credentials": "skip", region: "mars" }).problems).toMatchObject([
    { input: "region" },
  ]);
  const fromEnvironment = read({ ...right, "api-key": "" }, { GRAPHDEPLOY_API_KEY: "key-of-the-environment" });
  expect(fromEnvironment).toMatchObject({ problems: [], kept: ["key-of-the-environment"] });
});

test("every secret value is kept, and each line of one that has several", () => {
  const pem = "-----BEGIN KEY-----\nabcdefgh\n-----END KEY-----";
  const { kept } = read({
    ...right,
    "github-token": "ghs_token",
    secrets: JSON.stringify({ PEM: pem, PIN: "123" }),
  });
  expect(kept).toEqual(
    expect.arrayContaining(["key-of-the-test", "ghs_token", pem, "abcdefgh", "-----BEGIN KEY-----"]),
  );
});

test("of secrets that can't be read every line is kept", () => {
  const { kept, problems } = read({ ...right, secrets: 'KEY=first-value\nsecond line of it\n{"a"' });
  expect(kept).toEqual(expect.arrayContaining(["first-value", "second line of it"]));
  expect(problems[0]?.message).not.toContain("second line");
  expect(possibleValues("{broken: value-in-json}")).toContain("{broken: value-in-json}");
});

test("an environment is read from lines or from JSON, values as they stand", () => {
  expect(readEnvironment("env", "# comment\n\nA=1\r\nB= two = 2 \nC=\n").entries).toEqual({
    A: "1",
    B: " two = 2 ",
    C: "",
  });
  expect(readEnvironment("env", '{"A": "x\\ny", "B": 2, "C": true}').entries).toEqual({ A: "x\ny", B: "2", C: "true" });
  expect(readEnvironment("env", "  \n").entries).toBeUndefined();
  expect(readEnvironment("env", "{}").entries).toEqual({});
  expect(readEnvironment("env", "A=1\nA=2").problems).toHaveLength(1);
  expect(readEnvironment("env", '{"A": [1]}').problems).toHaveLength(1);
  expect(readEnvironment("env", "{nonsense").problems).toHaveLength(1);
  expect(Object.keys(readEnvironment("env", '{"__proto__": "x"}').entries ?? {})).toEqual(["__proto__"]);
});

test("a smoke test is off, a health check, or a run whose output must match", () => {
  expect(readSmokeTest("false").smokeTest).toBeUndefined();
  expect(readSmokeTest("ok").smokeTest).toEqual({});
  expect(readSmokeTest('{"assistant": "agent", "match": "h.llo"}').smokeTest).toEqual({
    run: { assistant: "agent", input: {}, match: /h.llo/ },
  });
  for (const wrong of [
    "yes",
    '{"assistant": ""}',
    '{"assistant": "a", "match": "("}',
    '{"assistant": "a", "extra": 1}',
  ]) {
    expect(readSmokeTest(wrong).problems, wrong).toHaveLength(1);
  }
});
