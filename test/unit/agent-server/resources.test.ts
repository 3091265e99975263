import { expect, test } from "vitest";
import { startAgent, thread, until } from "../../kit/agent-server/agent.ts";

const missing = "00000000-0000-4000-8000-00000000dead";

test("the id of a graph's default assistant is derived from its name, and the assistant can't be deleted", async () => {
  await using agent = await startAgent();
  const { body } = await agent.call("GET", "/assistants/agent");
  expect(body).toMatchObject({
    assistant_id: "fe096781-5601-53d2-b2f6-0d3403f7e9ca",
    metadata: { created_by: "system" },
  });
  expect((await agent.call("DELETE", "/assistants/agent")).status).toBe(422);
});

test("a new version replaces context and config completely, and keeps omitted fields", async () => {
  await using agent = await startAgent();
  const { body } = await agent.call("POST", "/assistants", {
    graph_id: "chat",
    name: "one",
    context: { a: 1, b: 2 },
    config: { tags: ["x"] },
  });
  const path = `/assistants/${body.assistant_id}`;
  expect((await agent.call("PATCH", path, { context: { a: 3 } })).body).toMatchObject({
    version: 2,
    name: "one",
    context: { a: 3 },
    config: { tags: ["x"] },
  });
  expect((await agent.call("POST", `${path}/latest?version=1`)).body).toMatchObject({
    version: 1,
    context: { a: 1, b: 2 },
  });
  expect((await agent.call("PATCH", path, { name: "three" })).body).toMatchObject({
    version: 3,
    context: { a: 1, b: 2 },
  });
  expect((await agent.call("POST", `${path}/latest`, { version: 9 })).status).toBe(404);
  expect((await agent.call("POST", `${path}/latest`)).status).toBe(422);
});

test("pages report the number of rows and the start of the next page", async () => {
  await using agent = await startAgent();
  for (let n = 1; n <= 5; n++) await agent.call("POST", "/threads", { thread_id: thread(n) });
  const page = async (offset: number) => {
    const { body, headers } = await agent.call("POST", "/threads/search", { limit: 2, offset });
    return [body.length, headers.get("x-pagination-total"), headers.get("x-pagination-next")];
  };
  expect(await page(0)).toEqual([2, "5", "2"]);
  expect(await page(2)).toEqual([2, "5", "4"]);
  expect(await page(4)).toEqual([1, "5", null]);
  const listed = await agent.call("GET", "/threads?limit=3&metadata=%7B%7D");
  expect(listed.body.map((row: { thread_id: string }) => row.thread_id)).toEqual([thread(5), thread(4), thread(3)]);
});

test("threads are found by metadata, values and status, and parts of them can be extracted", async () => {
  await using agent = await startAgent();
  for (const [n, topic] of [
    [1, "a"],
    [2, "b"],
  ] as const) {
    const path = `/threads/${thread(n)}`;
    await agent.call("POST", `${path}/runs/wait`, {
      assistant_id: "subgraph",
      input: { topic },
      if_not_exists: "create",
    });
    await agent.call("PATCH", path, { metadata: { tags: ["x", topic] } });
  }
  const search = async (body: object) => (await agent.call("POST", "/threads/search", body)).body;
  expect(await search({ values: { topic: "a" }, select: ["thread_id"] })).toEqual([{ thread_id: thread(1) }]);
  expect(await search({ metadata: { tags: ["b"] }, select: ["thread_id"] })).toEqual([{ thread_id: thread(2) }]);
  expect(await search({ status: "interrupted" })).toEqual([]);
  const extract = { last: "values.findings[-1]", none: "values.nothing.there" };
  expect(await search({ ids: [thread(1)], select: ["thread_id"], extract })).toEqual([
    { thread_id: thread(1), extracted: { last: "judged: found: a", none: null } },
  ]);
});

test("ten thousand threads are searched", async () => {
  await using agent = await startAgent();
  for (let n = 0; n < 100; n++) {
    await Promise.all(
      Array.from({ length: 100 }, (_, k) => agent.call("POST", "/threads", { metadata: { group: k } })),
    );
  }
  const { body, headers } = await agent.call("POST", "/threads/search", { metadata: { group: 7 }, limit: 1000 });
  expect([body.length, headers.get("x-pagination-total")]).toEqual([100, "100"]);
});

test("an unused thread expires by the server's clock", async () => {
  await using agent = await startAgent();
  const path = `/threads/${thread(1)}`;
  await agent.call("POST", "/threads", { thread_id: thread(1), ttl: { ttl: 10 } });
  agent.clock.advance("9m");
  await agent.call("PATCH", path, { metadata: {} });
  agent.clock.advance("9m");
  expect((await agent.call("GET", `${path}?include=ttl`)).body.ttl).toMatchObject({ ttl_minutes: 10 });
  agent.clock.advance("1m");
  await until(async () => (await agent.call("GET", path)).status === 404);
});

test("supersteps give a new thread a state, and if they fail, no thread is created", async () => {
  await using agent = await startAgent();
  const supersteps = [
    { updates: [{ values: { log: ["seed"] }, as_node: "__input__" }] },
    { updates: [{ values: { log: ["asked"] }, as_node: "ask" }] },
  ];
  const create = (n: number, steps: unknown) =>
    agent.call("POST", "/threads", { thread_id: thread(n), metadata: { graph_id: "approval" }, supersteps: steps });
  expect((await create(1, supersteps)).body).toMatchObject({ values: { log: ["seed", "asked"] } });
  expect((await agent.call("GET", `/threads/${thread(1)}/state`)).body.next).toEqual(["act"]);
  expect((await create(2, [{ updates: [{ values: {}, as_node: "nobody" }] }])).status).toBe(422);
  expect((await agent.call("GET", `/threads/${thread(2)}`)).status).toBe(404);
});

test("a cron starts runs at its times by the server's clock, until its end time", async () => {
  await using agent = await startAgent();
  await agent.call("POST", "/threads", { thread_id: thread(1) });
  const { body: cron } = await agent.call("POST", `/threads/${thread(1)}/runs/crons`, {
    assistant_id: "events",
    schedule: "*/10 * * * *",
    input: { steps: 1 },
    end_time: "2026-01-01T00:25:00Z",
  });
  expect(cron.next_run_date).toBe("2026-01-01T00:10:00.000Z");
  const count = async () => (await agent.call("GET", `/threads/${thread(1)}/runs`)).body.length;
  for (const expected of [1, 2]) {
    agent.clock.advance("10m");
    await until(async () => (await count()) === expected);
  }
  expect((await agent.call("GET", `/runs/crons/${cron.cron_id}`)).body.next_run_date).toBeNull();
  agent.clock.advance("1h");
  expect(await count()).toBe(2);
  expect(agent.defects).toEqual([]);
});

test.each([{ schedule: "never" }, { schedule: "0 0 * * *", timezone: "Mars/Base" }, { schedule: "" }])(
  "an invalid schedule is refused: %o",
  async (wrong) => {
    await using agent = await startAgent();
    const response = await agent.call("POST", "/runs/crons", { assistant_id: "events", ...wrong });
    expect(response).toMatchObject({ status: 422, body: { detail: expect.stringContaining("schedule") } });
  },
);

test("items expire, and their namespaces are checked", async () => {
  await using agent = await startAgent();
  const put = (namespace: string[], more = {}) =>
    agent.call("PUT", "/store/items", { namespace, key: "k", value: { a: 1 }, ...more });
  expect((await put(["x"], { ttl: 5 })).status).toBe(204);
  for (const bad of [[], [""], ["a.b"]]) expect((await put(bad)).status, JSON.stringify(bad)).toBe(422);
  agent.clock.advance("4m");
  expect((await agent.call("GET", "/store/items?namespace=x&key=k")).body).toMatchObject({ value: { a: 1 } });
  agent.clock.advance("6m");
  expect((await agent.call("GET", "/store/items?namespace=x&key=k")).body).toBeNull();
  expect((await agent.call("POST", "/store/items/search", { filter: { a: { $near: 1 } } })).status).toBe(422);
});

test.each<[string, string, number, unknown?]>([
  ["GET", `/assistants/${missing}`, 404],
  ["GET", "/assistants/no-such-graph/graph", 404],
  ["POST", "/assistants", 404, { graph_id: "no-such-graph" }],
  ["POST", "/assistants", 422, {}],
  ["GET", `/threads/${missing}`, 404],
  ["GET", "/threads/not-a-uuid", 422],
  ["GET", `/threads/${missing}/state`, 404],
  ["GET", `/threads/${missing}/history`, 404],
  ["GET", `/threads/${missing}/stream`, 404],
  ["POST", `/threads/${missing}/copy`, 404],
  ["POST", `/threads/${missing}/runs`, 404, { assistant_id: "chat" }],
  ["GET", `/threads/${missing}/runs/${missing}/join`, 404],
  ["POST", "/runs/stream", 404, { assistant_id: "no-such-graph" }],
  ["POST", "/runs/stream", 422, { assistant_id: "chat", stream_mode: "everything" }],
  ["POST", "/runs/batch", 422, []],
  ["POST", "/threads/search", 422, { limit: 0 }],
  ["POST", "/threads", 400, "{ no json"],
  ["GET", `/runs/crons/${missing}`, 404],
  ["DELETE", `/runs/crons/${missing}`, 404],
  ["GET", "/nothing", 404],
  ["PUT", "/threads", 405],
  ["DELETE", "/ok", 405],
])("%s %s responds with %i and a detail", async (method, path, status, body) => {
  await using agent = await startAgent();
  expect(await agent.call(method, path, body)).toMatchObject({ status, body: { detail: expect.any(String) } });
  expect(agent.defects).toEqual([]);
});

test("a body that is too large is refused", async () => {
  await using agent = await startAgent({ bodyLimitBytes: 1000 });
  expect((await agent.call("POST", "/threads", { metadata: { text: "x".repeat(1000) } })).status).toBe(413);
});

test("a body without a content type is accepted, and so is no body", async () => {
  await using agent = await startAgent();
  expect((await fetch(`${agent.url}/threads`, { method: "POST" })).status).toBe(200);
  expect((await fetch(`${agent.url}/threads`, { method: "POST", body: "{}" })).status).toBe(200);
});

test("pages of any origin may use the server", async () => {
  await using agent = await startAgent();
  const response = await fetch(`${agent.url}/threads`, {
    method: "OPTIONS",
    headers: { origin: "https://app.example", "access-control-request-headers": "x-api-key" },
  });
  expect(response.status).toBe(204);
  expect(response.headers.get("access-control-allow-methods")).toContain("PATCH");
  expect(response.headers.get("access-control-allow-headers")).toBe("x-api-key");
  const { headers } = await agent.call("GET", "/ok");
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("access-control-expose-headers")).toContain("content-location");
});

test("a browser may reach the server from a page on another network", async () => {
  await using agent = await startAgent();
  const allowed = async (network: string) => {
    const headers = { origin: "https://app.example", [`access-control-request-${network}-network`]: "true" };
    const { headers: responseHeaders } = await fetch(`${agent.url}/threads`, { method: "OPTIONS", headers });
    return ["private", "local"].filter(
      (name) => responseHeaders.get(`access-control-allow-${name}-network`) === "true",
    );
  };
  expect(await allowed("private")).toEqual(["private"]);
  expect(await allowed("local")).toEqual(["local"]);
  expect(await allowed("other")).toEqual([]);
});

test("an empty list of fields or ids counts as none", async () => {
  await using agent = await startAgent();
  const { body: made } = await agent.call("POST", "/threads", {});
  const run = { assistant_id: "events", input: { steps: 1 } };
  await agent.call("POST", `/threads/${made.thread_id}/runs/wait`, run);
  const first = async (path: string, body: object) => (await agent.call("POST", path, body)).body[0];
  expect(await first("/threads/search", { select: [], ids: [] })).toHaveProperty("thread_id", made.thread_id);
  expect(await first("/assistants/search", { select: [] })).toHaveProperty("assistant_id");
  expect(await first(`/threads/${made.thread_id}/history`, { select: [] })).toHaveProperty("values");
});

test("the description of a server without keys requires no key", async () => {
  await using agent = await startAgent();
  const { body } = await agent.call("GET", "/openapi.json");
  expect(JSON.stringify(body)).not.toContain("API Key");
});

test("the server deletes the chosen kinds of resources", async () => {
  await using agent = await startAgent();
  await agent.call("POST", "/threads");
  await agent.call("PUT", "/store/items", { namespace: ["x"], key: "k", value: {} });
  await agent.call("POST", "/assistants", { graph_id: "chat" });
  const all = { runs: true, threads: true, assistants: true, checkpointer: true, store: true };
  expect((await agent.call("POST", "/internal/truncate", all)).body).toEqual({ ok: true });
  expect((await agent.call("POST", "/threads/count", {})).body).toBe(0);
  expect((await agent.call("POST", "/store/namespaces", {})).body).toEqual({ namespaces: [] });
  expect((await agent.call("POST", "/assistants/count", { graph_id: "chat" })).body).toBe(1);
});

test("a thread without a state has null values, also if values are selected", async () => {
  await using agent = await startAgent();
  const { body } = await agent.call("POST", "/threads", {});
  expect(body).toMatchObject({ values: null, interrupts: {} });
  expect((await agent.call("GET", `/threads/${body.thread_id}`)).body).toEqual(body);
  expect((await agent.call("POST", "/threads/search", { select: ["values"] })).body).toEqual([{ values: null }]);
});
