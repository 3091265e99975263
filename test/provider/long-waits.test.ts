import { expect, test } from "vitest";
import { ControlPlane } from "../../core/client.ts";
import type { DesiredDeployment } from "../../core/desired.ts";
import { create, type Ensured, update, waitUntilLive } from "../../core/reconcile.ts";
import { type MockServer, startMockServer } from "../../mock-server/server.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { platform } from "./ground.ts";

// Waits whose bounds are minutes: the provider's steps, through the core they are made of, with a clock that doesn't wait.

const desired: DesiredDeployment = {
  name: "agent",
  source: "github",
  sourceConfig: { repoUrl: "https://github.com/acme/agent", buildOnPush: false },
  sourceRevisionConfig: { repoRef: "main", graphConfigPath: "graph.json" },
};
const claim = { owner: "pulumi#urn:pulumi:test::program::agent" };

function connect(mock: MockServer): { client: ControlPlane; clock: FakeClock } {
  const clock = new FakeClock(mock.clock.now());
  return { client: new ControlPlane({ baseUrl: mock.url, apiKey: "key-of-long-waits", clock }), clock };
}

async function created(client: ControlPlane): Promise<Ensured & { revisionId: string }> {
  const ensured = await create(client, desired, { claim, onDeployment: () => {} });
  return { ...ensured, revisionId: ensured.revisionId ?? "" };
}

test("a revision interrupted for two minutes is an error, and the next update rolls out again", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const { client, clock } = connect(mock);
  const ensured = await created(client);
  await mock.revisions.advance(ensured.revisionId, "INTERRUPTED");
  const startedAt = clock.now();
  await expect(waitUntilLive(client, ensured)).rejects.toThrow(/was interrupted on the platform and didn't go on/);
  expect(clock.now() - startedAt).toBeGreaterThanOrEqual(120_000);

  mock.transitions.set({ mode: "immediate" });
  const again = await update(client, ensured.deployment.id, desired, { previous: desired, claim });
  expect(again.revisionId).not.toBe(ensured.revisionId);
  expect((await waitUntilLive(client, again))?.revision.status).toBe("DEPLOYED");
  expect((await platform(mock)).revisions).toHaveLength(2);
});

test("a revision that isn't switched to is an error after a minute, the next update waits again, and a later one rolls out again", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const { client, clock } = connect(mock);
  const first = await created(client);
  await waitUntilLive(client, first);
  mock.transitions.set({ rules: [{ name: "agent", activeDelay: "never", times: 1 }] });
  const changed = { ...desired, sourceRevisionConfig: { ...desired.sourceRevisionConfig, repoRef: "next" } };
  const second = await update(client, first.deployment.id, changed, { previous: desired, claim });
  const stuck = `is DEPLOYED, but 1m 00s later deployment ${first.deployment.id} still serves ${first.revisionId}`;
  await expect(waitUntilLive(client, second)).rejects.toThrow(stuck);

  const resumed = await update(client, first.deployment.id, changed, { previous: changed, claim });
  expect(resumed.revisionId).toBe(second.revisionId);
  await expect(waitUntilLive(client, resumed)).rejects.toThrow(stuck);
  expect((await platform(mock)).revisions).toHaveLength(2);

  clock.advance(60_000);
  const redone = await update(client, first.deployment.id, changed, { previous: changed, claim });
  expect((await waitUntilLive(client, redone))?.deployment.active_revision_id).toBe(redone.revisionId);
  expect((await platform(mock)).revisions).toHaveLength(3);
});

test("a revision that alone answers 404 for two minutes is an error, and the next update makes a new one", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const { client } = connect(mock);
  const ensured = await created(client);
  const path = `/v2/deployments/*/revisions/${ensured.revisionId}`;
  const body = { detail: `Revision ID ${ensured.revisionId} not found.` };
  mock.faults.add({ match: { path }, effect: { status: 404, body } });
  await expect(waitUntilLive(client, ensured)).rejects.toThrow(
    `Revision ${ensured.revisionId} can't be found any more`,
  );

  mock.transitions.set({ mode: "immediate" });
  const again = await update(client, ensured.deployment.id, desired, { previous: desired, claim });
  expect((await waitUntilLive(client, again))?.revision.id).toBe(again.revisionId);
  expect((await platform(mock)).revisions).toHaveLength(2);
});

test("an outage of ten minutes in the middle of a wait is waited out", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const { client, clock } = connect(mock);
  const ensured = await created(client);
  mock.faults.add({ match: { path: "/v2/*" }, effect: { status: 503 } });
  const mendedAt = clock.now() + 600_000;
  clock.onSleep = (now) => {
    if (now < mendedAt || mock.faults.list().length === 0) return;
    mock.faults.clear();
    void mock.revisions.advance(ensured.revisionId, "DEPLOYED");
  };
  expect((await waitUntilLive(client, ensured))?.revision.status).toBe("DEPLOYED");
});
