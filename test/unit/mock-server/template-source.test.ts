import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { startForTest } from "../../kit/mock-server/api.ts";

test("a deployment from a template is read and listed, but can't be created", async () => {
  await using mock = await startForTest();
  await mock.seed({ deployments: [{ name: "from-template", source: "internal_source" }] });
  const snapshot = await mock.snapshot.get();
  for (const deployment of snapshot.content.deployments) {
    deployment.source = "internal_template";
    deployment.sourceConfig = { template_id: "chat" };
  }
  await mock.snapshot.put(snapshot, { confirm: true });

  const client = new ControlPlane({ baseUrl: mock.url, apiKey: "any-key" });
  const { body: page } = await mock.cloud("GET", "/v2/deployments");
  const [listed] = page.resources;
  expect(listed).toMatchObject({ source: "internal_template", source_config: { template_id: "chat" } });
  expect(await client.deployments.get(listed.id)).toMatchObject({ source: "internal_template" });

  const body = { name: "another", source: "internal_template", source_config: {}, source_revision_config: {} };
  expect((await mock.cloud("POST", "/v2/deployments", body)).status).toBe(422);
});
