import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readMockConfig } from "../../../mock-server/config-file.ts";
import { mockCommand } from "../../../mock-server/mock-command.ts";
import type { MockServer } from "../../../mock-server/server.ts";
import { apiOf } from "../../kit/mock-server/api.ts";

async function withFile<Result>(text: string, use: (file: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "mock-config-"));
  try {
    const file = join(folder, "mock.yaml");
    await writeFile(file, text);
    return await use(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function start(file: string): Promise<MockServer> {
  return new Promise((resolve, reject) => {
    const command = mockCommand(resolve);
    command.parseAsync(["--port", "0", "--log-format", "json", "--config", file], { from: "user" }).catch(reject);
  });
}

test.each([
  ["deploymnets: []", 'did you mean "deployments"'],
  ["transitions: { modes: immediate }", 'did you mean "mode"'],
  ["faults: [{ efect: { status: 500 } }]", 'did you mean "effect"'],
  [
    "integrations: [{ id: 11111111-1111-4111-8111-111111111111, name: a, any_repositry: true }]",
    'did you mean "any_repository"',
  ],
  ["deployments: [{ name: a, source: internal_source, source_config: { repo_ulr: x } }]", 'did you mean "repo_url"'],
  ["listeners: [{ compute_type: k8s, compute_id: a, compute_config: {}, tenantid: x }]", 'did you mean "tenant_id"'],
])("an unknown key is refused with its line and a suggestion: %s", async (text, hint) => {
  await expect(withFile(text, readMockConfig)).rejects.toThrow(hint);
});

const config = `
api_keys: { the-key: [one] }
integrations:
  - { id: 11111111-1111-4111-8111-111111111111, name: acme, any_repository: true }
listeners:
  - { compute_type: k8s, compute_id: cluster, compute_config: {} }
deployments:
  - { name: agent, source: internal_source }
transitions: { mode: immediate, rules: [{ name: bad-*, fail: BUILD_FAILED }] }
faults:
  - { match: { operation: get_listener }, effect: { status: 503 } }
graphs:
  greeter: { nodes: { greet: { steps: [{ reply: Good day }] } } }
`;

test("a server starts with the settings of its configuration file", async () => {
  await using mock = await withFile(config, start);
  const headers = { "x-api-key": "the-key" };
  const api = apiOf(mock.url);
  expect((await api("GET", "/v2/deployments")).status).toBe(401);
  const { body: deployments } = await api("GET", "/v2/deployments", undefined, headers);
  expect(deployments.resources).toMatchObject([{ name: "agent", tenant_id: "one" }]);
  expect((await api("GET", "/v1/integrations/github/install", undefined, headers)).body).toMatchObject([
    { name: "acme" },
  ]);
  const { body: listeners } = await api("GET", "/api-host/v2/listeners", undefined, headers);
  expect(listeners.resources).toMatchObject([{ compute_id: "cluster" }]);
  expect(mock.transitions.get()).toEqual({ mode: "immediate", rules: [{ name: "bad-*", fail: "BUILD_FAILED" }] });
  expect(mock.faults.list()).toHaveLength(1);
  const [agent] = deployments.resources;
  await mock.revisions.advance(agent.latest_revision_id, "DEPLOYED");
  const run = { assistant_id: "greeter", input: {} };
  const { body: said } = await api("POST", `/agents/${agent.id}/runs/wait`, run, headers);
  expect(said.messages).toMatchObject([{ type: "ai", content: "Good day" }]);
});

test.each([
  ["an unknown field", "colour: red", "colour"],
  ["a field of the wrong kind", "deployments: 7", "deployments"],
  ["a fault that contradicts itself", "faults: [{ effect: {} }]", "faults.0.effect"],
  ["an open bracket", "faults:\n  - match: {\n", ":2 opens a quote or bracket that is never closed"],
  ["something else than YAML", "a: b: c", "has a second colon in one line"],
])("a file with %s is refused with the file and field named", async (_, text, named) => {
  await withFile(text, async (file) => {
    await expect(readMockConfig(file)).rejects.toThrow(named);
    await expect(readMockConfig(file)).rejects.toThrow(file);
  });
});

test("a missing file, and a deployment that breaks a rule, are refused", async () => {
  await expect(readMockConfig("/nowhere/mock.yaml")).rejects.toThrow("can't be read");
  const twice = "deployments: [{ name: a, source: internal_source }, { name: a, source: internal_source }]";
  await expect(withFile(twice, start)).rejects.toThrow(/deployments\[1\].*already exists/);
});
