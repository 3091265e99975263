import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { declare, droppableNames, droppableReferences } from "../../../action/declaration.ts";
import type { WorkflowEvent } from "../../../action/event.ts";
import { type InputName, inputDefaults } from "../../../action/input-defaults.ts";
import { inInputNames, inputsByPath, shownPath } from "../../../action/input-names.ts";
import { findingsOf, readInputs } from "../../../action/inputs.ts";
import { fields } from "../../../core/declare/deployment.ts";
import { validateDesired } from "../../../core/declare/validation.ts";
import { withKeptReferences } from "../../../core/reconcile/environment.ts";
import { resolveSettings } from "../../../core/settings.ts";
import { someEvent } from "../../kit/action/events.ts";

const right = { "api-key": "key-of-the-test", name: "support-agent", "graph-config-path": "graph.json" };

function read(
  given: Partial<Record<InputName, string>>,
  { env = {}, event = {} }: { env?: Record<string, string>; event?: Partial<WorkflowEvent> } = {},
) {
  const sources = { get: (name: InputName) => given[name] ?? "", env, event: someEvent(event), keepSecret: () => {} };
  return readInputs(sources);
}

const reported = (problems: readonly { input: string; message: string }[]) =>
  problems.map(({ input, message }) => `${input}: ${message}`);

test("empty values are reported by name, all at once, in each syntax", () => {
  const { inputs, problems } = read(
    { ...right, secrets: "A=\nB= \nC=x\nD=''\nFROM_STEP\nGONE", env: '{"E": "", "F": "f"}' },
    { env: { FROM_STEP: "" } },
  );
  expect(problems).toEqual([]);
  expect(reported(inputs.declarationProblems)).toEqual([
    expect.stringMatching(/^secrets: has no value for A, B, D, FROM_STEP\. .*allow-empty/),
    expect.stringMatching(/^secrets: names GONE without a value/),
    expect.stringMatching(/^env: has no value for E\. /),
  ]);
});

test("a value may be empty on purpose", () => {
  const given = { ...right, secrets: "A=", env: '{"B": ""}', "allow-empty": "A, B" };
  const { inputs } = read(given);
  expect(inputs.declarationProblems).toEqual([]);
  expect(inputs.declared).toMatchObject({ secrets: { A: "" }, env: { B: "" } });
});

test("a run that is skipped for want of a key isn't failed over the other secrets that it doesn't get", () => {
  const given = { ...right, "api-key": "", secrets: "A=", "on-missing-credentials": "skip" };
  expect(read(given)).toMatchObject({ problems: [], inputs: { settings: undefined, declarationProblems: [] } });
});

test("fields of self-hosted installations are declared in their usual forms", () => {
  const lines = read({
    ...right,
    "graph-config-path": "",
    "image-uri": "ghcr.io/acme/agent:1",
    "resource-spec": 'minScale=1\ncpu=0.5\nlabels={"team": "support"}\nserviceAccountName=agent',
    "listener-id": "9c8b7a6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a",
    "k8s-namespace": "agents",
    "secret-references": "TOKEN=agent-secrets:token\nDB=db:password",
    "display-name": "Support agent",
    "custom-url": "https://{name}.agents.example.com",
  });
  expect(lines.problems).toEqual([]);
  const desired = declare(lines.inputs.declared, "support-agent", { ref: "main" });
  expect(findingsOf(desired).problems).toEqual([]);
  expect(desired).toMatchObject({
    displayName: "Support agent",
    sourceConfig: {
      resourceSpec: { minScale: 1, cpu: 0.5, labels: { team: "support" }, serviceAccountName: "agent" },
      listenerId: "9c8b7a6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a",
      listenerConfig: { k8sNamespace: "agents" },
      customUrl: "https://support-agent.agents.example.com",
    },
    secretReferences: {
      TOKEN: { secretName: "agent-secrets", secretKey: "token" },
      DB: { secretName: "db", secretKey: "password" },
    },
  });
  const json = read({
    ...right,
    "resource-spec": '{"minScale": 1, "labels": {"team": "support"}}',
    "secret-references": '{"TOKEN": "agent-secrets:token"}',
    "install-command": "yarn install",
    "build-command": "yarn build",
  });
  expect(json.inputs.declared).toMatchObject({
    sourceConfig: {
      resourceSpec: { minScale: 1, labels: { team: "support" } },
      installCommand: "yarn install",
      buildCommand: "yarn build",
    },
    secretReferences: { TOKEN: { secretName: "agent-secrets", secretKey: "token" } },
  });
});

test("problems are reported with the name of the input", () => {
  const { problems, inputs } = read({ ...right, "resource-spec": "{cpu", "secret-references": "TOKEN=agent-secrets" });
  expect(reported(problems)).toEqual([
    "resource-spec: starts like JSON but isn't valid JSON.",
    "secret-references: TOKEN is not <Kubernetes Secret>:<key>, for example TOKEN=agent-secrets:token.",
  ]);
  const desired = { ...inputs.declared, sourceConfig: { ...inputs.declared.sourceConfig, resourceSpec: { cpu: 99 } } };
  expect(reported(findingsOf(desired).problems).join()).toMatch(/,resource-spec: cpu /);
});

test("a preview has neither the address nor the display name of the deployment itself", () => {
  const { inputs } = read({ ...right, "custom-url": "https://agent.example.com", "display-name": "Agent ({name})" });
  const preview = declare(inputs.declared, "support-agent-pr-12", { ref: "x" });
  expect(preview.sourceConfig?.customUrl).toBeUndefined();
  expect(preview.displayName).toBe("Agent (support-agent-pr-12)");
});

test("what is removed can't be declared, and nothing but a plan expects no changes", () => {
  const { problems } = read({ ...right, env: "A=1", "env-remove": "A,B", "expect-no-changes": "true" });
  expect(reported(problems).sort()).toEqual([
    "env-remove: names A, declared here as well. Keep one of the two.",
    'expect-no-changes: belongs to the operation "plan", and this one is "auto".',
  ]);
});

test("an update drops what the inputs say, and everything only if a part of it is declared", () => {
  const dropped = (given: Partial<Record<InputName, string>>) => droppableNames(read({ ...right, ...given }).inputs);
  expect(dropped({ env: "A=1" })).toEqual([]);
  expect(dropped({ "env-remove": "B" })).toEqual(["B"]);
  expect(dropped({ env: "A=1", "env-update": "replace" })).toBe("all");
  expect(dropped({ "env-update": "replace", "env-remove": "B" })).toEqual(["B"]);
  expect(dropped({ env: "{}", "env-update": "replace" })).toBe("all");
  // An entry that becomes a reference is no longer a plain one.
  expect(dropped({ "secret-references": "C=s:k" })).toEqual(["C"]);
});

test("references to Kubernetes Secrets are merged like the environment", () => {
  const deployment = {
    secret_references: ["A", "B", "C"].map((name) => ({ name, secret_name: "there", secret_key: "k" })),
  } as Parameters<typeof withKeptReferences>[1];
  const merged = (given: Partial<Record<InputName, string>>) => {
    const { inputs } = read({ ...right, ...given });
    const { desired, dropped } = withKeptReferences(inputs.declared, deployment, droppableReferences(inputs));
    return [desired.secretReferences && Object.keys(desired.secretReferences), dropped];
  };
  expect(merged({})).toEqual([undefined, []]);
  expect(merged({ "secret-references": "B=here:k" })).toEqual([["A", "C", "B"], []]);
  expect(merged({ "secret-references": "B=here:k", secrets: "A=1" })).toEqual([["C", "B"], []]);
  // A reference is dropped if its variable is declared with a value, even if no reference is declared.
  expect(merged({ secrets: "A=1" })).toEqual([["B", "C"], []]);
  expect(merged({ env: "A=1" })).toEqual([["B", "C"], []]);
  expect(merged({ env: "OTHER=1" })).toEqual([undefined, []]);
  expect(merged({ "env-remove": "A" })).toEqual([["B", "C"], ["A"]]);
  expect(merged({ "secret-references": "B=here:k", "env-update": "replace" })).toEqual([["B"], ["A", "C"]]);
});

test("a configuration file that isn't in the checkout is a mistake, where there is a whole checkout of what is deployed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-checkout-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const env = { GITHUB_WORKSPACE: folder };
  const given = { ...right, "working-directory": "agents", "graph-config-path": "graph.json" };
  const problems = (more = {}, event: Partial<WorkflowEvent> = {}) =>
    reported(read({ ...given, ...more }, { env, event }).inputs.declarationProblems);
  expect(problems()).toEqual([]);
  await mkdir(join(folder, ".git/info"), { recursive: true });
  expect(problems()).toEqual([
    'graph-config-path: There is no file agents/graph.json in the checkout, and the platform would look for it there. Paths are relative to working-directory, which is "agents".',
  ]);
  expect(problems({ ref: "next" })).toEqual([]);
  expect(problems({ "pull-request": "12" }, { name: "workflow_dispatch" })).toEqual([]);
  expect(problems({}, { name: "workflow_dispatch" })).toHaveLength(1);
  expect(problems({ "repo-url": "https://github.com/acme/other" })).toEqual([]);
  expect(problems({ "repo-url": "https://github.com/Acme/agents.git" })).toHaveLength(1);
  expect(problems({}, { name: "pull_request_target" })).toEqual([]);
  await writeFile(join(folder, ".git/info/sparse-checkout"), "/docs");
  expect(problems()).toEqual([]);
  await rm(join(folder, ".git/info/sparse-checkout"));
  await mkdir(join(folder, "agents"));
  await writeFile(join(folder, "agents/graph.json"), "{}");
  expect(problems()).toEqual([]);
});

test("every field and setting has the name of its input", () => {
  const notDeclared = new Set(["sourceRevisionConfig.sourceTarballPath"]);
  const settings = Object.keys(resolveSettings({ explicit: { apiKey: "key" }, env: {} }).settings ?? {});
  const declared = ["env", "secrets", "secretReferences", "sourceConfig.resourceSpec"];
  const paths = [...fields.map(({ path }) => path), ...settings, ...declared].filter((path) => !notDeclared.has(path));
  for (const path of paths) {
    const input = inputsByPath[path] ?? "";
    expect(input in inputDefaults || /^GRAPHDEPLOY_[A-Z_]+$/.test(input), path).toBe(true);
    expect(shownPath(path)).toBe(input);
    expect(inInputNames(`Wrong: ${path}.`)).toBe(`Wrong: ${input}.`);
  }
});

test("no message about a declaration has a path of the core in it", () => {
  const wrong = {
    name: "",
    source: "external_docker",
    sourceConfig: Object.fromEntries(
      ["repoUrl", "integrationId", "deploymentType", "customUrl", "listenerId", "installCommand", "buildCommand"].map(
        (field) => [field, 1],
      ),
    ),
    sourceRevisionConfig: { graphConfigPath: 1, imageUri: 1, repoRef: 1 },
    env: 1,
    secretReferences: { A: 1 },
    displayName: 1,
  };
  const both = {
    name: "a",
    source: "github",
    sourceConfig: { repoUrl: "https://x/y" },
    sourceRevisionConfig: { imageUri: "i", graphConfigPath: "g", repoRef: "main" },
    secrets: { A: "1" },
    secretReferences: { A: { secretName: "s", secretKey: "k" } },
  };
  for (const desired of [wrong, both]) {
    const messages = reported(findingsOf(desired as never).problems);
    expect(messages.length).toBe(validateDesired(desired).problems.length - (desired.name === "" ? 1 : 0));
    for (const message of messages) expect(message).not.toMatch(/sourceConfig|sourceRevisionConfig|[a-z][A-Z]/);
  }
});

test("an invalid setting is reported by its input", () => {
  const both = { ...right, region: "eu", "base-url": "https://agents.example.com/api-host" };
  expect(reported(read(both).problems)).toEqual([
    'base-url: region "eu" and base-url https://agents.example.com/api-host name different control planes. Set one of the two.',
  ]);
  expect(reported(read({ ...right, region: "mars" }).problems).join()).toContain("or set base-url");
});

test.each<[InputName, string]>([
  ["env", '{"A": "1", "A": "2"}'],
  ["secrets", '{"A": "1", "A": "2"}'],
  ["secret-references", '{"A": "agent:token", "A": "agent:other"}'],
  ["resource-spec", '{"labels": {"A": "1"}, "A": 1, "A": 2}'],
])("%s refuses a name that its JSON sets twice", (input, text) => {
  const { problems } = read({ ...right, [input]: text });
  expect(problems).toContainEqual({ input, message: "sets A twice." });
});

test("resource-spec may have a name once in each of its maps", () => {
  const { problems } = read({ ...right, "resource-spec": '{"A": {"A": 1, "B": [{"A": 2}, {"A": 3}]}, "B": "x"}' });
  expect(problems).toEqual([]);
});

test("env-remove refuses the ownership marker and a preview's marker by name", () => {
  const { problems } = read({ ...right, "env-remove": "OLD,GRAPHDEPLOY_MANAGED_BY,GRAPHDEPLOY_PREVIEW_PR_12" });
  expect(problems.map(({ input, message }) => `${input}: ${message}`)).toEqual([
    "env-remove: names GRAPHDEPLOY_MANAGED_BY, GRAPHDEPLOY_PREVIEW_PR_12, part of the ownership marker, which graphdeploy manages itself.",
  ]);
});

const jobToken = "ghs_token-of-the-job";
const aboutToken = "which is the job's own token: it expires with the job.";

test.each<[string, Partial<Record<InputName, string>>, string[]]>([
  [
    "toJSON(secrets)",
    { secrets: JSON.stringify({ KEY: "sk-1", github_token: jobToken }) },
    ["secrets: has github_token"],
  ],
  [
    "toJSON(secrets) beside another github-token",
    { secrets: JSON.stringify({ github_token: "ghs_other" }), "github-token": "ghp_personal" },
    ["secrets: has github_token"],
  ],
  ["another name", { secrets: `TOKEN=${jobToken}` }, ["secrets: has TOKEN"]],
  ["env", { env: `A=1\nTOKEN=${jobToken}\nOTHER=${jobToken}` }, ["env: has TOKEN, OTHER"]],
  ["a personal token", { secrets: "GITHUB_TOKEN=ghp_personal", "github-token": "ghp_personal" }, []],
  ["a personal token in JSON", { secrets: '{"GITHUB_TOKEN": "ghp_personal", "github_token": "ghp_personal"}' }, []],
])("the job's own token isn't deployed: %s", (_, given, expected) => {
  const { inputs, problems } = read({ ...right, "github-token": jobToken, ...given });
  expect(problems).toEqual([]);
  const found = inputs.declarationProblems.map(({ input, message }) => `${input}: ${message}`);
  expect(found).toEqual(expected.map((start) => expect.stringContaining(`${start}, ${aboutToken}`)));
  expect(JSON.stringify(found)).not.toContain(jobToken);
});

test("what the platform may know, but is near a known name, is a warning with the name of its input", () => {
  const { inputs, problems } = read({
    ...right,
    "resource-spec": '{"minScal": 1, "max_scal": 2, "sidecars": []}',
    "deployment-type": "prodd",
    secrets: "TOKEN=",
    "allow-empty": "TOKEN",
  });
  expect(problems).toEqual([]);
  expect(inputs.declared.sourceConfig?.resourceSpec).toEqual({ minScal: 1, max_scal: 2, sidecars: [] });
  const { warnings } = findingsOf(declare(inputs.declared, "support-agent", { ref: "main" }));
  expect(reported(warnings)).toEqual([
    "deployment-type: is none of the known ones, dev_free, dev, prod, dev_zero, dev_free_zero. It is passed on unchanged. Did you mean prod?",
    "resource-spec: minScal isn't a known field, and is passed on unchanged. Did you mean minScale?",
    "resource-spec: max_scal isn't a known field, and is passed on unchanged. Did you mean max_scale?",
  ]);
});
