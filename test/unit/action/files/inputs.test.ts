import { expect, test } from "vitest";
import { readFileInputs } from "../../../../action/file/inputs.ts";
import { type InputName, inputDefaults } from "../../../../action/input-defaults.ts";
import { readInputs } from "../../../../action/inputs.ts";
import { someEvent } from "../../../kit/action/events.ts";

const sources = (given: Partial<Record<InputName, string>>) => ({
  get: (name: InputName) => ({ ...inputDefaults, "api-key": "key-of-the-test", ...given })[name],
  env: {},
  event: someEvent({}),
  keepSecret: () => undefined,
});
const read = (given: Partial<Record<InputName, string>>) =>
  readFileInputs(sources({ config: "graphdeploy.yaml", ...given }));

/** A value of each input that isn't its default, with whether it may be given beside a file. */
const beside: Record<InputName, [value: string, isAllowed: boolean]> = {
  "api-key": ["another-key-of-the-test", true],
  "workspace-id": ["6f1c1d7e-3a52-4d3c-9a55-0d1f2b7c9e10", true],
  region: ["eu", true],
  "base-url": ["https://agents.example.com/api-host", true],
  dialect: ["graph", true],
  config: ["agents/graphdeploy.json", true],
  environment: ["staging", true],
  only: ["search", true],
  name: ["support", false],
  source: ["github", false],
  "repo-url": ["https://github.com/acme/agents", false],
  "integration-id": ["1b2f8a90-5f0e-4a6e-8a31-2f1d3c4b5a69", false],
  "graph-config-path": ["graph.json", false],
  "working-directory": ["agents", false],
  "image-uri": ["ghcr.io/acme/agent:1", false],
  "deployment-type": ["prod", false],
  "build-on-push": ["true", false],
  "install-command": ["yarn", false],
  "build-command": ["yarn build", false],
  "resource-spec": ["cpu=1", false],
  "listener-id": ["9c8b7a6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a", false],
  "k8s-namespace": ["agents", false],
  "custom-url": ["https://a.example.com", false],
  "display-name": ["Agent", false],
  env: ["A=b", false],
  secrets: ["A=b", false],
  "secret-references": ["A=b:c", false],
  "env-update": ["replace", false],
  "env-remove": ["A", false],
  "allow-empty": ["A", true],
  ref: ["main", false],
  sha: ["a".repeat(40), false],
  "pull-request": ["12", true],
  operation: ["plan", true],
  "preview-name": ["{name}-{number}", false],
  adopt: ["true", true],
  "expect-no-changes": ["false", true],
  wait: ["false", false],
  timeout: ["5m", true],
  "on-superseded": ["warn", false],
  "on-cancel": ["interrupt", true],
  "on-failure": ["rollback", false],
  "on-missing-credentials": ["skip", true],
  "smoke-test": ["ok", true],
  "github-environment": ["production", true],
  "github-token": ["ghs_token", true],
  comment: ["false", true],
  summary: ["false", true],
};

test.each(Object.entries(beside))("%s is read or refused beside a file", (name, [value, isAllowed]) => {
  const { problems } = read({ [name]: value });
  expect(problems.map(({ input }) => input)).toEqual(isAllowed ? [] : [name]);
});

test("all refused inputs are named together", () => {
  const given = Object.fromEntries(Object.entries(beside).map(([name, [value]]) => [name, value]));
  const { problems } = read(given as Partial<Record<InputName, string>>);
  const refused = Object.entries(beside).filter(([, [, isAllowed]]) => !isAllowed);
  // A region and a base URL contradict each other.
  expect(
    problems
      .map(({ input }) => input)
      .filter((name) => name !== "region" && name !== "base-url")
      .sort(),
  ).toEqual(refused.map(([name]) => name).sort());
});

test.each([
  [{ operation: "redeploy" }, "operation"],
  [{ "smoke-test": '{"assistant": "agent"}' }, "smoke-test"],
  [{ "expect-no-changes": "true" }, "expect-no-changes"],
  [{ timeout: "soon" }, "timeout"],
] as const)("%o is refused", (given, name) => {
  expect(read(given).problems.map(({ input }) => input)).toEqual([name]);
});

test("keys are separated by commas or lines, and the environment is GitHub's unless that is given", () => {
  const { inputs } = read({ only: "search, support\n\nbilling\n", environment: "staging" });
  expect(inputs.only).toEqual(["search", "support", "billing"]);
  expect(inputs.githubEnvironment).toBe("staging");
  expect(read({ environment: "staging", "github-environment": "agents" }).inputs.githubEnvironment).toBe("agents");
  expect(read({ only: "" }).inputs.only).toBeUndefined();
});

test("the inputs of a file are refused without one", () => {
  const given = { name: "support", "graph-config-path": "graph.json", environment: "staging", only: "search" };
  expect(readInputs(sources(given)).problems.map(({ input }) => input)).toEqual(["environment", "only"]);
});
