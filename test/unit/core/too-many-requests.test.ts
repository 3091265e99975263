import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { RateLimitError } from "../../../core/client/errors.ts";
import { deployment, deploymentId } from "../../kit/deployments.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import { startScriptedServer } from "../../kit/scripted-server.ts";

// With many deployments in one run and a rate-limited server, a request may get more 429s than the maximum number of
// retries after other failures.

const busy = { status: 429, headers: { "retry-after": "1" } };

test("a request is still retried after twenty 429s", async () => {
  await using server = await startScriptedServer(({ nth }) => (nth <= 20 ? busy : { body: deployment() }));
  const client = new ControlPlane({ baseUrl: server.url, apiKey: "key-of-a-regression-test", clock: new FakeClock() });
  await expect(client.deployments.get(deploymentId)).resolves.toMatchObject({ id: deploymentId });
});

test("retries after 429 end at the deadline", async () => {
  await using server = await startScriptedServer(() => busy);
  const clock = new FakeClock();
  const client = new ControlPlane({ baseUrl: server.url, apiKey: "key-of-a-regression-test", clock });
  const startedAt = clock.now();
  await expect(client.deployments.get(deploymentId)).rejects.toThrow(RateLimitError);
  expect(clock.now() - startedAt).toBeLessThanOrEqual(120_000);
});
