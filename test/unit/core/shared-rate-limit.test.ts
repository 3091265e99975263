import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { RateLimitError } from "../../../core/client/errors.ts";
import { deployment, deploymentId } from "../../kit/deployments.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import { startScriptedServer } from "../../kit/scripted-server.ts";

// A rate limit applies to the key. The other resources of a run kept sending requests while one of them had to wait.

/** A server that responds to the first request with 429 and this `Retry-After` in seconds. */
function busyAtFirst(retryAfter: string) {
  return startScriptedServer(({ nth }) =>
    nth === 1 ? { status: 429, headers: { "retry-after": retryAfter } } : { body: deployment() },
  );
}

const clientOf = (baseUrl: string, clock: FakeClock, apiKey = "key-of-a-regression-test") =>
  new ControlPlane({ baseUrl, apiKey, clock, random: () => 0, limits: { deadlineMs: 30_000 } });

/** Gets a 429 for a request whose deadline leaves no time to wait. */
async function beTurnedAway(url: string, clock: FakeClock): Promise<void> {
  await expect(clientOf(url, clock).deployments.get(deploymentId, { deadlineMs: 1_000 })).rejects.toThrow(
    RateLimitError,
  );
}

test("another client with the same key waits for the same rate limit", async () => {
  await using server = await busyAtFirst("20");
  const clock = new FakeClock();
  await beTurnedAway(server.url, clock);
  await clientOf(server.url, clock).deployments.get(deploymentId);
  await clientOf(server.url, clock).deployments.get(deploymentId);
  expect(clock.sleeps).toEqual([20_000]);
});

test("requests with another key or to another server don't wait", async () => {
  await using server = await busyAtFirst("20");
  await using other = await startScriptedServer(() => ({ body: deployment() }));
  const clock = new FakeClock();
  await beTurnedAway(server.url, clock);
  await clientOf(server.url, clock, "another-key").deployments.get(deploymentId);
  await clientOf(other.url, clock).deployments.get(deploymentId);
  expect(clock.sleeps).toEqual([]);
});

test("a request that would be late after the pause is sent, and only the server refuses it", async () => {
  await using server = await busyAtFirst("100");
  const clock = new FakeClock();
  await beTurnedAway(server.url, clock);
  await expect(clientOf(server.url, clock).deployments.get(deploymentId)).resolves.toMatchObject({ id: deploymentId });
  expect(clock.sleeps).toEqual([]);
});

test("no server can pause a client for more than two minutes", async () => {
  await using server = await busyAtFirst("86400");
  const clock = new FakeClock();
  await beTurnedAway(server.url, clock);
  clock.advance(119_000);
  await clientOf(server.url, clock).deployments.get(deploymentId);
  expect(clock.sleeps).toEqual([1_000]);
});

test("an abort ends the pause", async () => {
  await using server = await busyAtFirst("20");
  const clock = new FakeClock();
  await beTurnedAway(server.url, clock);
  const controller = new AbortController();
  clock.onSleep = () => controller.abort();
  const call = clientOf(server.url, clock).deployments.get(deploymentId, { signal: controller.signal });
  await expect(call).rejects.toThrow("Cancelled");
  expect(server.requests).toHaveLength(1);
});
