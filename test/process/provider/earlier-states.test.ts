import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { startMockServer } from "../../../mock-server/server.ts";
import { providerText } from "../../../provider/dynamic.ts";
import { createProvider } from "../../../provider/runtime.ts";
import type { DeploymentInputs, DeploymentState } from "../../../provider/state.ts";
import { apiKey, writes } from "../../kit/provider/ground.ts";

// The state that a build of November 2026 wrote, with the addresses and ids of the test's mock server.

interface Stored {
  inputs: DeploymentInputs;
  outputs: DeploymentState;
}

/** The state's deployment on a mock server, and a new provider process. */
async function startWithState() {
  const file = join(import.meta.dirname, "..", "..", "fixtures", "states", "november-2026.json");
  const stored: Stored = JSON.parse(await readFile(file, "utf8"));
  const { generation, ownershipMarker } = stored.outputs;
  expect(ownershipMarker).toBe(`pulumi#${stored.inputs.resourceUrn}#g-${generation}`);
  const mock = await startMockServer({ port: 0, transitions: "immediate" });
  const client = new ControlPlane({ baseUrl: mock.url, apiKey });
  const created = await client.deployments.create({
    name: "agent",
    source: "github",
    source_config: {
      repo_url: "https://github.com/acme/agent",
      resource_spec: { min_scale: 1, cpu: 0.5 },
      build_on_push: false,
    },
    source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
    secrets: [
      { name: "MODE", value: "a" },
      { name: "TOKEN", value: "value-of-the-old-state" },
      { name: "GRAPHDEPLOY_MANAGED_BY", value: ownershipMarker ?? "" },
    ],
  });
  const { id } = created;
  await client.deployments.update(id, { display_name: "Agent" }, { makesRevision: false });
  const deployment = await client.deployments.get(id);
  const outputs: DeploymentState = {
    ...stored.outputs,
    __provider: providerText,
    baseUrl: mock.url,
    tenantId: deployment.tenant_id ?? "",
    latestRevisionId: deployment.latest_revision_id ?? "",
    activeRevisionId: deployment.active_revision_id ?? "",
  };
  vi.stubEnv("GRAPHDEPLOY_BASE_URL", mock.url);
  vi.stubEnv("GRAPHDEPLOY_API_KEY", apiKey);
  const provider = createProvider();
  await provider.configure({ config: { get: () => undefined } });
  return {
    mock,
    provider,
    client,
    id,
    inputs: { ...stored.inputs, __provider: providerText },
    outputs,
    async [Symbol.asyncDispose]() {
      vi.unstubAllEnvs();
      await mock.close();
    },
  };
}

test("the same program and a refresh leave a state of an earlier build unchanged", async () => {
  await using earlier = await startWithState();
  const { provider, id, inputs, outputs } = earlier;
  const checked = await provider.check(inputs, inputs);
  expect(checked).toEqual({ inputs, failures: [] });
  expect(await provider.diff(id, outputs, inputs)).toMatchObject({ changes: undefined, replaces: [] });
  const read = await provider.read(id, outputs);
  const { createdAt: _created, updatedAt: _updated, commit: _commit, ...lasting } = outputs;
  expect(read.props).toMatchObject(lasting);
  expect(read.inputs).toEqual(inputs);
});

test("a deployment in a state of an earlier build is updated with one request, keeps its marker, and can be deleted", async () => {
  await using earlier = await startWithState();
  const { mock, provider, client, id, inputs, outputs } = earlier;
  const before = writes(mock).length;
  const next = { ...inputs, triggers: { prompt: "2" } };
  const { outs } = await provider.update(id, outputs, next);
  expect(writes(mock).slice(before)).toEqual(["PATCH 200"]);
  expect(Object.keys(outs)).toEqual(expect.arrayContaining(Object.keys(outputs)));
  expect(outs).toMatchObject({
    ownershipMarker: outputs.ownershipMarker,
    generation: outputs.generation,
    secretNames: ["TOKEN"],
    revisionStatus: "DEPLOYED",
  });
  await provider.delete(id, outs);
  expect(await client.deployments.find(id)).toBeUndefined();
});
