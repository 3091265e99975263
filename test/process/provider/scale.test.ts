import { expect, test } from "vitest";
import { Deployment } from "../../../provider/deployment.ts";
import { agentArgs, platform, startGround, summary, writes } from "../../kit/provider/ground.ts";

const count = 100;

/** A lookup of the name, one poll of the revision and one read of the deployment. */
const readsPerDeployment = 3;

function many(): void {
  for (let number = 1; number <= count; number += 1) {
    new Deployment(`agent-${number}`, agentArgs({ name: `agent-${number}` }));
  }
}

test("a hundred deployments of one stack are all live after one write and three reads each", async () => {
  await using ground = await startGround();
  expect(new Set(summary(await ground.engine.up(many)))).toEqual(new Set(["create"]));
  const statuses = [...ground.engine.resources.values()].map(({ outputs }) => outputs.revisionStatus);
  expect(statuses).toEqual(Array(count).fill("DEPLOYED"));
  expect(writes(ground.mock)).toEqual(Array(count).fill("POST 201"));
  expect(ground.mock.requests({ method: "GET" }).length).toBeLessThanOrEqual(readsPerDeployment * count);

  const requestsBefore = ground.mock.requests().length;
  expect(new Set(summary(await ground.engine.up(many)))).toEqual(new Set(["same"]));
  expect(ground.mock.requests()).toHaveLength(requestsBefore);

  expect(await ground.engine.destroy()).toHaveLength(count);
  expect((await platform(ground.mock)).deployments).toEqual([]);
});

test("a server that accepts twenty requests a second creates a hundred deployments once each", async () => {
  await using ground = await startGround();
  ground.mock.faults.add({ id: "limit", match: { path: "/v2/*" }, effect: { rateLimit: { requests: 20 } } });
  expect(summary(await ground.engine.up(many))).toEqual(Array(count).fill("create"));
  expect(ground.mock.faults.list()[0]?.happened).toBeGreaterThan(0);
  const { deployments, revisions } = await platform(ground.mock);
  expect([deployments.length, revisions.length]).toEqual([count, count]);
  const statuses = [...ground.engine.resources.values()].map(({ outputs }) => outputs.revisionStatus);
  expect(statuses).toEqual(Array(count).fill("DEPLOYED"));
});
