import { expect, test } from "vitest";
import { apiOf, githubBody, startForTest } from "../../kit/mock-server/api.ts";

const list = "/v2/deployments";

test("a fault responds instead of the server, with status, body and headers", async () => {
  await using mock = await startForTest();
  mock.faults.add({
    match: { operation: "create_deployment" },
    times: 1,
    effect: { status: 429, body: { detail: "slow" }, headers: { "Retry-After": "7" } },
  });
  const first = await mock.cloud("POST", list, githubBody());
  expect(first).toMatchObject({ status: 429, body: { detail: "slow" } });
  expect(first.headers.get("retry-after")).toBe("7");
  expect(first.headers.get("x-request-id")).toBeTruthy();
  expect((await mock.cloud("POST", list, githubBody())).status).toBe(201);
  expect(mock.requests()[0]).toMatchObject({
    operation: "create_deployment",
    status: 429,
    request: { body: { name: "agent" } },
  });
});

test("the first rule that matches counts, by method, path, operation and tenant", async () => {
  await using mock = await startForTest();
  mock.faults.add(
    { match: { method: "delete" }, effect: { status: 501 } },
    { match: { path: "/api-host/*" }, effect: { status: 502 } },
    { match: { tenant: "one" }, effect: { status: 503 } },
    { match: { operation: "list_deployments" }, effect: { status: 504 } },
  );
  expect((await mock.cloud("DELETE", list)).status).toBe(501);
  expect((await mock.selfHosted("GET", list)).status).toBe(502);
  expect((await mock.cloud("GET", list, undefined, { "x-tenant-id": "one" })).status).toBe(503);
  expect((await mock.cloud("GET", list)).status).toBe(504);
  expect((await mock.cloud("POST", list, githubBody())).status).toBe(201);
});

test("nth selects one request, and the counters show it", async () => {
  await using mock = await startForTest();
  const admin = apiOf(`${mock.url}/_mock`);
  await admin("PUT", "/faults", { rules: [{ id: "second", match: { path: list }, nth: 2, effect: { status: 500 } }] });
  const statuses = [];
  for (let count = 0; count < 4; count++) statuses.push((await mock.cloud("GET", list)).status);
  expect(statuses).toEqual([200, 500, 200, 200]);
  expect((await admin("GET", "/faults")).body.rules).toMatchObject([{ id: "second", matched: 4, happened: 1 }]);
  expect((await admin("DELETE", "/faults")).status).toBe(204);
  expect(mock.faults.list()).toEqual([]);
});

test("faults occur with their probability, reproducibly with a seed", async () => {
  const run = async () => {
    await using mock = await startForTest({ seed: 3 });
    mock.faults.add({ probability: 0.5, effect: { status: 500 } });
    const statuses = [];
    for (let count = 0; count < 20; count++) statuses.push((await mock.cloud("GET", list)).status);
    return statuses;
  };
  const first = await run();
  expect(new Set(first)).toEqual(new Set([200, 500]));
  expect(await run()).toEqual(first);
});

test("a rate limit allows its number of requests per second", async () => {
  await using mock = await startForTest();
  mock.faults.add({ effect: { rateLimit: { requests: 2 } } });
  const statuses = [];
  for (let count = 0; count < 3; count++) statuses.push((await mock.cloud("GET", list)).status);
  expect(statuses).toEqual([200, 200, 429]);
  expect((await mock.cloud("GET", list)).headers.get("retry-after")).toBe("1");
  mock.clock.advance("1s");
  expect((await mock.cloud("GET", list)).status).toBe(200);
});

test("a reset before the request leaves no trace of it, a reset after it does", async () => {
  await using mock = await startForTest();
  mock.faults.replace([{ effect: { reset: "before" } }]);
  await expect(mock.cloud("POST", list, githubBody())).rejects.toThrow();
  mock.faults.clear();
  expect((await mock.cloud("GET", list)).body.resources).toHaveLength(0);
  mock.faults.replace([{ effect: { reset: "after" } }]);
  await expect(mock.cloud("POST", list, githubBody())).rejects.toThrow();
  mock.faults.clear();
  expect((await mock.cloud("GET", list)).body.resources).toHaveLength(1);
  expect(mock.requests({ method: "POST" }).map(({ status }) => status)).toEqual([null, null]);
});

test("faults truncate a body, break its JSON, or replace it with a page", async () => {
  await using mock = await startForTest();
  mock.faults.replace([{ effect: { truncate: true } }]);
  await expect(mock.cloud("GET", list)).rejects.toThrow("terminated");
  mock.faults.replace([{ effect: { malformed: true } }]);
  await expect(mock.cloud("GET", list)).rejects.toThrow(SyntaxError);
  mock.faults.replace([{ effect: { html: "<h1>Bad gateway</h1>" } }]);
  const page = await mock.cloud("GET", list);
  expect(page).toMatchObject({ status: 502, body: "<h1>Bad gateway</h1>" });
  expect(page.headers.get("content-type")).toContain("text/html");
});

test("after latency, the request is handled as usual", async () => {
  await using mock = await startForTest();
  mock.faults.replace([{ effect: { latency: "5ms" } }]);
  expect((await mock.cloud("GET", list)).status).toBe(200);
});

test("faults reach the agent servers and never the admin API", async () => {
  await using mock = await startForTest();
  const { body } = await mock.cloud("POST", list, githubBody());
  mock.faults.replace([{ effect: { status: 500 } }]);
  expect((await fetch(`${mock.url}/agents/${body.id}/ok`)).status).toBe(500);
  expect((await fetch(`${mock.url}/_mock/health`)).status).toBe(200);
});
