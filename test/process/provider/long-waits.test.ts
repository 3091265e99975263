import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import type { DesiredDeployment } from "../../../core/declare/deployment.ts";
import { type ReconcileOptions, reconcile } from "../../../core/reconcile/reconcile.ts";
import { type MockServer, startMockServer } from "../../../mock-server/server.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import { platform } from "../../kit/provider/ground.ts";

// Waits of minutes: the core functions that the provider's steps consist of, with a fake clock.

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

/** A run of `reconcile` whose rollout has started. */
async function begun(client: ControlPlane, declared: DesiredDeployment, options: ReconcileOptions = {}) {
  const run = reconcile(client, declared, { claim, ...options });
  const { deployment, revisionId = "" } = await run.started;
  return { id: deployment.id, revisionId, live: () => run.live() };
}

test("a revision interrupted for two minutes is an error, and the next update rolls out again", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const { client, clock } = connect(mock);
  const first = await begun(client, desired);
  await mock.revisions.advance(first.revisionId, "INTERRUPTED");
  const startedAt = clock.now();
  await expect(first.live()).rejects.toThrow(/was interrupted on the platform and didn't continue/);
  expect(clock.now() - startedAt).toBeGreaterThanOrEqual(120_000);

  mock.transitions.set({ mode: "immediate" });
  const again = await begun(client, desired, { id: first.id, previous: desired });
  expect(again.revisionId).not.toBe(first.revisionId);
  expect((await again.live()).revision?.status).toBe("DEPLOYED");
  expect((await platform(mock)).revisions).toHaveLength(2);
});

test("a revision that isn't switched to is an error after a minute, the next update waits again, and a later one rolls out again", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const { client, clock } = connect(mock);
  const first = await begun(client, desired);
  await first.live();
  mock.transitions.set({ rules: [{ name: "agent", activeDelay: "never", times: 1 }] });
  const changed = { ...desired, sourceRevisionConfig: { ...desired.sourceRevisionConfig, repoRef: "next" } };
  const second = await begun(client, changed, { id: first.id, previous: desired });
  const stuck = `is DEPLOYED, but 1m 00s later, deployment ${first.id} still serves ${first.revisionId}`;
  await expect(second.live()).rejects.toThrow(stuck);

  const resumed = await begun(client, changed, { id: first.id, previous: changed });
  expect(resumed.revisionId).toBe(second.revisionId);
  await expect(resumed.live()).rejects.toThrow(stuck);
  expect((await platform(mock)).revisions).toHaveLength(2);

  clock.advance(60_000);
  const redone = await begun(client, changed, { id: first.id, previous: changed });
  expect((await redone.live()).deployment.active_revision_id).toBe(redone.revisionId);
  expect((await platform(mock)).revisions).toHaveLength(3);
});

test("a revision that is missing for two minutes while its deployment exists is an error, and the next update makes a new one", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const { client } = connect(mock);
  const first = await begun(client, desired);
  const path = `/v2/deployments/*/revisions/${first.revisionId}`;
  const body = { detail: `Revision ID ${first.revisionId} not found.` };
  mock.faults.add({ match: { path }, effect: { status: 404, body } });
  await expect(first.live()).rejects.toThrow(`Revision ${first.revisionId} can't be found any longer`);

  mock.transitions.set({ mode: "immediate" });
  const again = await begun(client, desired, { id: first.id, previous: desired });
  expect((await again.live()).revision?.id).toBe(again.revisionId);
  expect((await platform(mock)).revisions).toHaveLength(2);
});

test("a wait outlasts an outage of ten minutes", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const { client, clock } = connect(mock);
  const first = await begun(client, desired);
  mock.faults.add({ match: { path: "/v2/*" }, effect: { status: 503 } });
  const mendedAt = clock.now() + 600_000;
  clock.onSleep = (now) => {
    if (now < mendedAt || mock.faults.list().length === 0) return;
    mock.faults.clear();
    void mock.revisions.advance(first.revisionId, "DEPLOYED");
  };
  expect((await first.live()).revision?.status).toBe("DEPLOYED");
});
