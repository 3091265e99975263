import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { reconcile } from "../../../core/reconcile/reconcile.ts";
import { startMockServer } from "../../../mock-server/server.ts";
import { declaration } from "../../kit/deployments.ts";
import { FakeClock } from "../../kit/fake-clock.ts";

test("a wait outlasts an outage of five minutes after DEPLOYED", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const clock = new FakeClock(mock.clock.now());
  const client = new ControlPlane({ baseUrl: mock.url, apiKey: "any-key", clock });
  const run = reconcile(client, declaration());
  const { deployment } = await run.started;
  mock.faults.add({
    match: { method: "GET", path: `/v2/deployments/${deployment.id}` },
    effect: { status: 503 },
  });
  const mendedAt = clock.now() + 300_000;
  clock.onSleep = (now) => {
    if (now >= mendedAt) mock.faults.clear();
  };
  expect((await run.live()).revision?.status).toBe("DEPLOYED");
});
