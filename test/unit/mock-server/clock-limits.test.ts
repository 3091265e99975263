import { expect, test } from "vitest";
import { githubBody, startForTest } from "../../kit/mock-server/api.ts";

test("a clock can't move beyond the last date, and the error names the request", async () => {
  await using mock = await startForTest();
  const clock = (body: unknown) => mock.cloud("POST", "/_mock/clock", body);
  const before = (await mock.cloud("GET", "/_mock/clock")).body;
  for (const body of [
    { action: "advance", by: "99999999999h" },
    { action: "advance", by: 1e300 },
  ]) {
    expect(await clock(body)).toMatchObject({ status: 400, body: { detail: expect.stringContaining("275760") } });
  }
  expect(() => mock.clock.advance(1e300)).toThrow(RangeError);
  expect(() => mock.clock.freeze(Number.NaN)).toThrow(RangeError);
  expect((await mock.cloud("GET", "/_mock/clock")).body).toEqual(before);
  expect((await mock.cloud("POST", "/v2/deployments", githubBody())).status).toBe(201);
});

test("a snapshot with a time beyond the last date is refused", async () => {
  await using mock = await startForTest();
  await mock.cloud("POST", "/v2/deployments", githubBody());
  const { body: snapshot } = await mock.cloud("GET", "/_mock/snapshot");
  const withTimes = (change: (content: typeof snapshot.content) => void) => {
    const changed = structuredClone(snapshot);
    change(changed.content);
    return mock.cloud("PUT", "/_mock/snapshot", changed);
  };
  const beyond = 1e20;
  const refusals = [
    await withTimes(({ deployments }) => Object.assign(deployments[0], { createdAt: beyond })),
    await withTimes(({ deployments }) => Object.assign(deployments[0], { updatedAt: -beyond })),
    await withTimes(({ revisions }) => Object.assign(revisions[0], { createdAt: beyond })),
    await withTimes(({ revisions }) => Object.assign(revisions[0].transitions[0], { at: -beyond })),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
  expect((await mock.cloud("GET", "/v2/deployments")).status).toBe(200);
});
