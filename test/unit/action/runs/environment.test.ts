import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import {
  agentInputs,
  apiKey,
  ask,
  deploymentsOf,
  makeDeployment,
  ownedBy,
  pushTo,
  repositoryUrl,
  secretValue,
  writesOf,
} from "../../../kit/github/agents.ts";
import { startMaskingPlatform } from "../../../kit/github/masking-platform.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { token } from "../../../kit/github/step.ts";

const event = { name: "push", ref: "refs/heads/main", sha: "a".repeat(40) };
const { secrets: marker } = ownedBy("acme/agents#deploy");
const entry = (name: string, value = `value-of-${name}`) => ({ name, value });

type Mock = Awaited<ReturnType<typeof startMockServer>>;

async function namesOf(mock: Mock): Promise<string[]> {
  const [{ secrets }] = await deploymentsOf(mock);
  return secrets.map(({ name }: { name: string }) => name).filter((name: string) => !name.startsWith("GRAPHDEPLOY"));
}

test("a secret that is missing in GitHub is an error that names it, before any request", async () => {
  await using mock = await startMockServer({ port: 0 });
  const inputs = agentInputs(mock, { secrets: "OPENAI_API_KEY=\nOTHER=x\nFROM_STEP", env: '{"LOG_LEVEL": ""}' });
  const { code, outputs, log } = await runAction({ event, inputs, env: { FROM_STEP: "" } });
  expect([code, outputs.result]).toEqual([1, "failed"]);
  expect(log).toContain("secrets: has no value for OPENAI_API_KEY, FROM_STEP.");
  expect(log).toContain("env: has no value for LOG_LEVEL.");
  expect(mock.requests()).toEqual([]);
});

test("a deletion needs no values", async () => {
  await using mock = await startMockServer({ port: 0 });
  const inputs = agentInputs(mock, { secrets: "OPENAI_API_KEY=", operation: "delete" });
  const { outputs, log } = await runAction({ event: { ...event, name: "workflow_dispatch" }, inputs });
  expect(outputs.result, log).toBe("deleted");
});

test("a deploy refuses the job's own token among the secrets before any request, and a deletion doesn't", async () => {
  await using mock = await startMockServer({ port: 0 });
  const inputs = agentInputs(mock, { secrets: JSON.stringify({ TOKEN: secretValue, github_token: token }) });
  const refused = await runAction({ event, inputs });
  expect([refused.code, refused.outputs.result]).toEqual([1, "failed"]);
  expect(refused.log).toContain("secrets: has github_token, which is the job's own token");
  expect(refused.everything).not.toContain(token);
  expect(mock.requests()).toEqual([]);
  const dispatch = { ...event, name: "workflow_dispatch" };
  const deleted = await runAction({ event: dispatch, inputs: { ...inputs, operation: "delete" } });
  expect(deleted.outputs.result, deleted.log).toBe("deleted");
});

test("secrets come from the env of the step by their names", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const inputs = agentInputs(mock, { secrets: "TOKEN", env: "export MODE='fast'" });
  const { outputs, everything, log } = await runAction({ event, inputs, env: { TOKEN: secretValue } });
  expect(outputs.result, log).toBe("deployed");
  expect((await deploymentsOf(mock))[0].secrets).toEqual(
    expect.arrayContaining([entry("TOKEN", secretValue), entry("MODE", "fast")]),
  );
  expect(everything).not.toContain(secretValue);
});

test.each<[string, Record<string, string>, string[]]>([
  ["keeps what isn't declared", { env: "A=1" }, ["A", "BY_HAND", "OLD"]],
  ["removes the listed names", { env: "A=1", "env-remove": "OLD,NEVER_THERE" }, ["A", "BY_HAND"]],
  ["removes although nothing is declared", { "env-remove": "OLD" }, ["A", "BY_HAND"]],
  ["replaces the rest where that is wanted", { env: "A=1", "env-update": "replace" }, ["A"]],
  ["leaves an environment alone of which nothing is declared", { "env-update": "replace" }, ["A", "OLD", "BY_HAND"]],
])("a deploy %s", async (_, given, names) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, { secrets: [...marker, entry("A", "old-value"), entry("OLD"), entry("BY_HAND")] });
  const { outputs, log } = await runAction({ event, inputs: agentInputs(mock, given) });
  expect(outputs.result, log).toBe("deployed");
  expect((await namesOf(mock)).sort()).toEqual(names.toSorted());
});

test("what a replacement drops is listed, in the plan first", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, { secrets: [...marker, entry("OLD"), entry("BY_HAND")] });
  const given = { env: "A=1", "env-update": "replace" };
  const plan = await runAction({ event, inputs: agentInputs(mock, { ...given, operation: "plan" }) });
  expect(plan.log).toContain("A deploy drops from the environment: OLD, BY_HAND.");
  expect(plan.summary).toContain("drops OLD, BY\\_HAND");
  expect(await namesOf(mock)).toEqual(["OLD", "BY_HAND"]);
  const merge = await runAction({ event, inputs: agentInputs(mock, { env: "A=1", operation: "plan" }) });
  expect(merge.log).toContain("Not declared, so kept in the environment: OLD, BY_HAND.");
  const deploy = await runAction({ event, inputs: agentInputs(mock, given) });
  expect(deploy.log).toMatch(/dropped from the environment of support-agent: OLD, BY_HAND/);
});

test("where values are hidden, a merge that would lose undeclared entries is refused, and other changes aren't", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const hidden = ["GRAPHDEPLOY_MANAGED_BY", "TOKEN", "BY_HAND"].map((name) => entry(name, "****"));
  await makeDeployment(mock, { secrets: hidden });
  for (const operation of ["deploy", "plan"]) {
    const inputs = agentInputs(mock, { secrets: `TOKEN=${secretValue}`, operation });
    const { outputs, log } = await runAction({ event, inputs });
    expect([operation, outputs.result]).toEqual([operation, "failed"]);
    expect(log).toMatch(/the platform hides the values of entries that aren't declared here: BY_HAND\./);
  }
  expect(writesOf(mock)).toEqual(["POST /v2/deployments 201"]);
  const undeclared = await runAction({ event, inputs: agentInputs(mock) });
  expect(undeclared.outputs.result, undeclared.log).toBe("deployed");
  const replaced = await runAction({
    event,
    inputs: agentInputs(mock, { secrets: `TOKEN=${secretValue}`, "env-update": "replace" }),
  });
  expect(replaced.outputs.result, replaced.log).toBe("deployed");
  expect(await namesOf(mock)).toEqual(["TOKEN"]);
});

test("a plan of hidden values says that they can't be compared", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, { secrets: ["GRAPHDEPLOY_MANAGED_BY", "TOKEN"].map((name) => entry(name, "****")) });
  const inputs = agentInputs(mock, { secrets: `TOKEN=${secretValue}`, operation: "plan", "expect-no-changes": "true" });
  const { outputs, log } = await runAction({ event, inputs });
  expect([outputs.result, JSON.parse(outputs.plan ?? "{}").action], log).toEqual(["planned", "nothing"]);
  expect(log).toContain("the plan can't tell whether they differ");
});

test("a push that the platform builds by itself names the hidden values that aren't sent with it", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using masking = await startMaskingPlatform(mock.url);
  const source_config = { repo_url: repositoryUrl, deployment_type: "dev", build_on_push: true };
  await makeDeployment(mock, { secrets: [...marker, entry("TOKEN")], source_config });
  const sha = await pushTo(mock);
  const inputs = agentInputs(mock, { "base-url": masking.url, secrets: `TOKEN=${secretValue}` });
  const pushed = await runAction({ event: { ...event, sha }, inputs });
  expect(pushed.outputs.result, pushed.log).toBe("deployed");
  expect(pushed.log).toMatch(/^::notice .*hides the values of TOKEN, so they aren't sent again/m);
  expect((await deploymentsOf(mock))[0].secrets).toContainEqual(entry("TOKEN"));
  const dispatched = await runAction({ event: { ...event, sha, name: "workflow_dispatch" }, inputs });
  expect(dispatched.log).not.toContain("aren't sent again");
  expect((await deploymentsOf(mock))[0].secrets).toContainEqual(entry("TOKEN", secretValue));
});

test("undeclared references to Kubernetes Secrets are kept, and so is undeclared compute", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await ask(mock, "POST", "/api-host/v2/deployments", {
    name: "support-agent",
    source: "external_docker",
    source_config: { resource_spec: { min_scale: 2, cpu: 1 } },
    source_revision_config: { image_uri: "ghcr.io/acme/agent:1" },
    secrets: marker,
    secret_references: [{ name: "KEPT", secret_name: "s", secret_key: "k" }],
  });
  const inputs = {
    "api-key": apiKey,
    "base-url": mock.selfHostedUrl,
    name: "support-agent",
    "image-uri": "ghcr.io/acme/agent:2",
    "secret-references": "TOKEN=agent-secrets:token",
    "resource-spec": "cpu=2",
    "display-name": "Support agent",
    "custom-url": "https://{name}.example.com",
  };
  const { outputs, log } = await runAction({ event, inputs });
  expect(outputs.result, log).toBe("deployed");
  const { resources } = await ask(mock, "GET", "/api-host/v2/deployments");
  expect(resources[0]).toMatchObject({
    display_name: "Support agent",
    source_config: { custom_url: "https://support-agent.example.com", resource_spec: { min_scale: 2, cpu: 2 } },
  });
  expect(resources[0].secret_references.map(({ name }: { name: string }) => name)).toEqual(["KEPT", "TOKEN"]);
});
