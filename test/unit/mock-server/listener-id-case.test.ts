import { expect, test } from "vitest";
import { startForTest } from "../../kit/mock-server/api.ts";

test("a listener that a deployment names in upper case is in use and isn't deleted", async () => {
  await using mock = await startForTest();
  const { body: listener } = await mock.selfHosted("POST", "/v2/listeners", {
    compute_type: "k8s",
    compute_id: "cluster",
    compute_config: { k8s_namespaces: null },
  });
  const { status, body: deployment } = await mock.selfHosted("POST", "/v2/deployments", {
    name: "agent",
    source: "external_docker",
    source_config: { resource_spec: {}, listener_id: listener.id.toUpperCase() },
    source_revision_config: { image_uri: "acme/agent:1" },
    secrets: [],
  });
  expect(status).toBe(201);
  const path = `/v2/listeners/${listener.id}`;
  expect((await mock.selfHosted("DELETE", path)).status).toBe(409);
  await mock.selfHosted("DELETE", `/v2/deployments/${deployment.id}`);
  expect((await mock.selfHosted("DELETE", path)).status).toBe(204);
});
