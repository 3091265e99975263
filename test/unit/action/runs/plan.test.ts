import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { agentInputs, apiKey, makeDeployment, ownedBy, secretValue, writesOf } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";

const event = { name: "push", ref: "refs/heads/main", sha: "a".repeat(40) };

test.concurrent("a plan of a creation lists every declared field, and only the names of the environment", async () => {
  await using mock = await startMockServer({ port: 0 });
  const inputs = {
    "api-key": apiKey,
    "base-url": mock.selfHostedUrl,
    name: "support-agent",
    "image-uri": "ghcr.io/acme/agent:1",
    operation: "plan",
    secrets: `TOKEN=${secretValue}`,
    env: "LOG_LEVEL=info",
    "resource-spec": "cpu=1",
    "secret-references": "DB=agent-secrets:db",
    "display-name": "Support agent",
  };
  const { outputs, summary, everything, log } = await runAction({ event, inputs });
  expect(outputs.result, log).toBe("planned");
  const { action, changes } = JSON.parse(outputs.plan ?? "{}");
  expect(action).toBe("create");
  expect(Object.fromEntries(changes.map(({ path, to }: { path: string; to?: unknown }) => [path, to]))).toEqual({
    name: "support-agent",
    source: "external_docker",
    displayName: "Support agent",
    "sourceRevisionConfig.imageUri": "ghcr.io/acme/agent:1",
    "sourceConfig.resourceSpec": { cpu: 1 },
    secrets: undefined,
    secretReferences: { DB: { secretName: "agent-secrets", secretKey: "db" } },
  });
  expect(log).toContain("  secrets: adds LOG_LEVEL, TOKEN; marks it as owned by acme/agents#deploy");
  expect(summary).toContain("| <code>image-uri</code> |");
  expect(everything).not.toContain(secretValue);
  expect(writesOf(mock)).toEqual([]);
});

test.concurrent.each([
  ["main", 0, "planned"],
  ["next", 1, "failed"],
])("where no changes are expected, a plan of the ref %s ends with %i", async (ref, status, result) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, ownedBy("acme/agents#deploy"));
  const inputs = agentInputs(mock, { operation: "plan", ref, "expect-no-changes": "true" });
  const { code, outputs, log } = await runAction({ event, inputs });
  expect([code, outputs.result], log).toEqual([status, result]);
  expect(JSON.parse(outputs.plan ?? "{}").action).toBe(status === 0 ? "nothing" : "revision");
  expect(log.includes("none were expected (expect-no-changes): revision.")).toBe(status === 1);
});

test.concurrent("the deployment is an output, without the values of its environment", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "time:2s" });
  const { secrets } = ownedBy("acme/agents#deploy");
  await makeDeployment(mock, { secrets: [...secrets, { name: "NUMBER", value: "20260101" }] });
  const given = { secrets: `TOKEN=${secretValue}\nNAME=support-agent\nYEAR=2026` };
  const { outputs, everything, log } = await runAction({ event, inputs: agentInputs(mock, given) });
  expect(outputs.result, log).toBe("deployed");
  const record = JSON.parse(outputs.deployment ?? "");
  expect(record).toMatchObject({
    id: outputs["deployment-id"],
    name: "support-agent",
    latest_revision_id: outputs["revision-id"],
  });
  const names = ["GRAPHDEPLOY_MANAGED_BY", "NAME", "NUMBER", "TOKEN", "YEAR"];
  expect(record.secrets.toSorted((a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1))).toEqual(
    names.map((name) => ({ name })),
  );
  expect(outputs.log).toContain("Building the image");
  expect(everything).not.toContain(secretValue);
});

test.concurrent("the end of the log is an output, redacted and bounded", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "time:2s" });
  const logLines = [...Array.from({ length: 400 }, (_, line) => `${"x".repeat(200)} ${line}`), `token ${secretValue}`];
  mock.transitions.set({ rules: [{ name: "*", fail: "BUILD_FAILED", logLines }] });
  const { outputs, log } = await runAction({
    event,
    inputs: agentInputs(mock, { secrets: `TOKEN=${secretValue}` }),
  });
  expect(outputs.result, log).toBe("failed");
  expect(outputs.log).toMatch(/^… \d+ lines left out …\n/);
  expect(outputs.log).toContain("x 399\ntoken [redacted]");
  expect(Buffer.byteLength(outputs.log ?? "")).toBeLessThan(33 * 1024);
});

test.concurrent("where its checkout has no such configuration file, a deploy ends before it begins", async () => {
  await using mock = await startMockServer({ port: 0 });
  const { outputs, log } = await runAction({ event, inputs: agentInputs(mock), files: { ".git/HEAD": "x" } });
  expect(outputs.result).toBe("failed");
  expect(log).toContain("graph-config-path: There is no file graph.json in the checkout");
  expect(mock.requests()).toEqual([]);
});
