import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { deleteDeployment } from "../../../core/reconcile/apply.ts";
import { ensureExists } from "../../../core/reconcile/create.ts";
import { reconcile } from "../../../core/reconcile/reconcile.ts";
import { type MockServer, startMockServer } from "../../../mock-server/server.ts";
import { declaration } from "../../kit/deployments.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import { storedDeployments } from "../../kit/stored.ts";

// A deployment in deletion is still readable and keeps its name. A run that kept it, or refused its name, would end
// without a deployment.

const desired = declaration({ sourceConfig: { repoUrl: "https://github.com/acme/bot" } });
const claim = { owner: "pulumi#urn:one" };

function connect(mock: MockServer, clock = new FakeClock(mock.clock.now())): ControlPlane {
  return new ControlPlane({ baseUrl: mock.url, apiKey: "key-of-a-regression-test", clock });
}

test("a creation waits for the end of a deletion under its name, and then creates", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const clock = new FakeClock(mock.clock.now());
  const client = connect(mock, clock);
  const old = (await ensureExists(client, desired, { claim })).deployment;
  await client.deployments.delete(old.id);
  clock.onSleep = () => void mock.deployments.advance(old.id).catch(() => {});
  const notes: string[] = [];
  const { deployment, origin } = await ensureExists(client, desired, {
    claim,
    onProgress: (event) => event.type === "note" && notes.push(event.message),
  });
  expect(origin).toBe("created");
  expect(deployment.id).not.toBe(old.id);
  expect(notes).toEqual([`Deployment support-bot (${old.id}) is being deleted; waiting until its name is free.`]);
});

test("an update of a deployment in deletion says so and changes nothing", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const client = connect(mock);
  const { deployment } = await ensureExists(client, desired);
  await client.deployments.delete(deployment.id);
  const changed = { ...desired, sourceRevisionConfig: { ...desired.sourceRevisionConfig, repoRef: "next" } };
  await expect(reconcile(client, changed, { id: deployment.id }).started).rejects.toThrow(
    /is being deleted \(AWAITING_DELETE\)/,
  );
  expect(mock.requests({ method: "PATCH" })).toEqual([]);
});

test("a refused deletion waits for the one in progress", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const clock = new FakeClock(mock.clock.now());
  const client = connect(mock, clock);
  const { deployment } = await ensureExists(client, desired);
  await client.deployments.delete(deployment.id);
  mock.faults.add({ match: { method: "DELETE" }, effect: { status: 409, body: { detail: "It is being deleted." } } });
  clock.onSleep = () => void mock.deployments.advance(deployment.id).catch(() => {});
  await deleteDeployment(client, deployment.id);
  expect(await storedDeployments(mock)).toEqual([]);
});

test("a deletion that the server refuses for another reason fails with that reason", async () => {
  await using mock = await startMockServer({ port: 0 });
  const client = connect(mock);
  const { deployment } = await ensureExists(client, desired);
  mock.faults.add({ match: { method: "DELETE" }, effect: { status: 409, body: { detail: "It is protected." } } });
  await expect(deleteDeployment(client, deployment.id)).rejects.toThrow(/It is protected/);
});
