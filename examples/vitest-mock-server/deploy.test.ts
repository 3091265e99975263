import { ControlPlane, RolloutError, reconcile } from "graphdeploy/core";
import { startMockServer } from "graphdeploy/mock-server";
import { expect, test } from "vitest";

const agent = {
  name: "support-agent",
  source: "github",
  sourceConfig: { repoUrl: "https://github.com/acme/support-agent" },
  sourceRevisionConfig: { repoRef: "main", graphConfigPath: "graph.json" },
};

test("the agent goes live", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const client = new ControlPlane({ baseUrl: mock.url, apiKey: "any-key" });

  const { revision } = await reconcile(client, agent).live();

  expect(revision?.status).toBe("DEPLOYED");
});

test("a build that fails is reported with its log", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  mock.transitions.set({
    rules: [{ name: "support-*", fail: "BUILD_FAILED", logLines: ["npm error: no such package"] }],
  });
  const client = new ControlPlane({ baseUrl: mock.url, apiKey: "any-key" });

  const failure = await reconcile(client, agent)
    .live()
    .catch((error: unknown) => error);

  expect(failure).toBeInstanceOf(RolloutError);
  expect(String(failure)).toContain("no such package");
});
