import { expect, test } from "vitest";
import { apiOf, githubBody, startForTest } from "../../kit/mock-server/api.ts";

test("deployments that a snapshot removes stop running, and the state of their agent servers isn't restored", async () => {
  await using mock = await startForTest();
  const { body: empty } = await mock.cloud("GET", "/_mock/snapshot");
  const { body: deployment } = await mock.cloud("POST", "/v2/deployments", githubBody());
  const { body: full } = await mock.cloud("GET", "/_mock/snapshot");
  const agent = apiOf(deployment.source_config.custom_url);
  await agent("POST", "/runs/crons", { assistant_id: "agent", schedule: "* * * * *", input: {} });
  await agent("POST", "/threads", {});

  expect((await mock.cloud("PUT", "/_mock/snapshot?confirm=true", empty)).status).toBe(204);
  mock.clock.advance("10m");
  expect((await mock.cloud("PUT", "/_mock/snapshot?confirm=true", full)).status).toBe(204);
  expect((await agent("POST", "/threads/search", {})).body).toEqual([]);
  expect((await agent("POST", "/runs/crons/search", {})).body).toEqual([]);
});

test("a refused seed leaves nothing running, and existing deployments keep running", async () => {
  const forgotten: (string | undefined)[] = [];
  await using mock = await startForTest(
    { runUploads: true },
    {
      agentServer: {
        handle: async () => ({ status: 200, body: {} }),
        remove: (id) => void forgotten.push(id),
      },
    },
  );
  const { body: kept } = await mock.cloud("POST", "/v2/deployments", githubBody({ name: "kept" }));
  const deployments = [
    { name: "first", source: "internal_source" },
    { name: "first", source: "internal_source" },
  ];
  expect((await mock.cloud("POST", "/_mock/seed", { deployments })).status).toBe(400);
  expect(forgotten).toHaveLength(1);
  expect(forgotten).not.toContain(kept.id);
  expect((await mock.cloud("GET", "/v2/deployments")).body.resources).toHaveLength(1);
});
