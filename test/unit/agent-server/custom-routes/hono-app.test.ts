import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { replacedRoutes } from "../../../../mock-server/agent-server/replaced-routes.ts";
import { parseEvents, until } from "../../../kit/agent-server/agent.ts";
import { type ConfiguredAgent, startConfigured } from "../../../kit/agent-server/compiled/configured-project.ts";
import { conversation } from "../../../kit/mock-server/wire.ts";

let agent: ConfiguredAgent;

beforeAll(async () => {
  agent = await startConfigured({ keys: { http: { app: "./app.ts:app" } } });
});
afterAll(() => agent[Symbol.asyncDispose]());

const get = (path: string, init: RequestInit = {}) => fetch(agent.url + path, init);

test("the app's routes come before the server's", async () => {
  expect((await agent.call("GET", "/info")).body).toEqual({ version: "of the app" });
  expect((await agent.call("GET", "/assistants/mine")).body).toEqual({ mine: true });
  expect((await agent.call("GET", "/items/7/x")).body).toEqual({ id: "7", part: "x" });
});

test("a route that responds with the app's not-found leaves the request to the server", async () => {
  expect((await agent.call("GET", "/assistants/agent")).body).toMatchObject({ graph_id: "agent" });
  expect((await agent.call("GET", "/assistants/none")).status).toBe(404);
});

test("the app's own 404 doesn't replace the server's", async () => {
  for (const path of ["/nowhere", "/items/none"]) {
    expect(await agent.call("GET", path)).toMatchObject({ status: 404, body: { detail: "Not Found" } });
  }
  expect((await agent.call("POST", "/assistants/agent")).status).toBe(405);
});

test("middleware runs around the server's routes, and around unknown paths", async () => {
  for (const path of ["/ok", "/metrics", "/assistants/agent", "/nowhere", "/docs"]) {
    const response = await get(path);
    await response.text();
    expect([path, response.headers.get("x-wrapped")]).toEqual([path, "true"]);
  }
  const stopped = await get("/threads", { method: "POST", headers: { "x-stop": "1" } });
  expect([stopped.status, await stopped.text()]).toEqual([403, "stopped by middleware"]);
});

test("no app and no middleware come before operators' paths", async () => {
  const response = await get("/internal/truncate", { method: "POST", body: "{}", headers: { "x-stop": "1" } });
  expect([response.status, await response.json()]).toEqual([200, { ok: true }]);
  expect(response.headers.get("x-wrapped")).toBeNull();
});

test("the server sees the body, the headers and the query that middleware leaves", async () => {
  const { body: thread } = await agent.call("POST", "/threads", { ttl: 5 });
  const shown = await agent.call("GET", `/threads/${thread.thread_id}?include=nothing`);
  expect(shown.body.ttl).toMatchObject({ ttl_minutes: 5 });
  const path = `/threads/${thread.thread_id}/runs/wait`;
  const input = { assistant_id: "agent", input: { text: "a" } };
  const seen = await agent.call("POST", path, input, { "x-rename": "1", "x-name": "given" });
  expect(seen.body.seen).toMatchObject({ "x-name": "renamed", "x-rename": "1" });
  const item = JSON.stringify({ namespace: ["a"], key: "replaced", value: {} });
  const stored = await agent.call("PUT", "/store/items", { nothing: "valid" }, { "x-replace": item });
  expect(stored.status).toBe(204);
  expect((await agent.call("GET", "/store/items?namespace=a&key=replaced")).body).toMatchObject({ key: "replaced" });
});

test("a body that middleware has read reaches the server, small or large, with a length or without", async () => {
  for (const size of [1, 1_000_000]) {
    const metadata = { size, text: "x".repeat(size) };
    for (const path of ["/threads", "/threads?read="]) {
      const { body: made } = await agent.call("POST", path, { metadata });
      expect(made.metadata).toEqual(metadata);
      const chunked = ReadableStream.from([Buffer.from(JSON.stringify({ metadata }))]);
      const found = await get(path, { method: "POST", body: chunked, duplex: "half" } as RequestInit);
      expect(await found.json()).toMatchObject({ metadata });
    }
  }
});

test("streams of runs pass through middleware that leaves them alone, and through one that changes them", async () => {
  const body = { assistant_id: "agent", input: { text: "a" }, stream_mode: "values" };
  const events = await agent.events("POST", "/runs/stream", body);
  expect(events.map(({ event }) => event)).toEqual(["metadata", "values", "values"]);
  const init = { method: "POST", body: JSON.stringify(body), headers: { "x-shout": "1" } };
  const shouted = await get("/runs/stream", init);
  expect(shouted.headers.get("content-type")).toBe("text/event-stream");
  expect(shouted.headers.get("location")).toMatch(/^\/runs\//);
  expect(parseEvents((await shouted.text()).toLowerCase()).map(({ event }) => event)).toEqual([
    "metadata",
    "values",
    "values",
  ]);
});

test("responses of the app are streamed, and so are the bodies of its requests", async () => {
  expect(await (await get("/counts")).text()).toBe("1\n2\n3\n");
  const large = await get("/upload", { method: "POST", body: Buffer.alloc(3_000_000) });
  expect(await large.json()).toEqual({ size: 3_000_000 });
  const { readable, writable } = new TransformStream<Uint8Array>();
  const writer = writable.getWriter();
  void writer.write(Buffer.from("first"));
  const response = await get("/first-chunk", { method: "POST", body: readable, duplex: "half" } as RequestInit);
  // The response is complete while the request isn't.
  expect(await response.text()).toBe("first");
  await writer.abort().catch(() => undefined);
});

test("a request whose body is too large gets 413 from the app's routes and from the server's", async () => {
  await using small = await startConfigured({
    keys: { http: { app: "./app.ts:app" } },
    server: { bodyLimitBytes: 100_000 },
  });
  for (const path of ["/upload", "/threads", "/threads/search?read="]) {
    const tooLarge = JSON.stringify({ metadata: { text: "x".repeat(200_000) } });
    const refused = await fetch(small.url + path, { method: "POST", body: tooLarge });
    expect([path, refused.status]).toEqual([path, 413]);
    const chunked = { method: "POST", body: ReadableStream.from([Buffer.from(tooLarge)]), duplex: "half" };
    const cut = await fetch(small.url + path, chunked as RequestInit);
    expect([path, cut.status]).toEqual([path, 413]);
  }
});

test("errors of the app's routes are its error handler's, and printed where there is none", async () => {
  const caught = await get("/inner/fails");
  expect([caught.status, await caught.json()]).toEqual([418, { caught: "inner" }]);
  expect((await get("/throws")).status).toBe(500);
  expect(agent.lines.join("\n")).toContain("no such thing");
});

test("CORS preflights are the server's, and its headers don't replace the app's", async () => {
  const preflight = await get("/info", {
    method: "OPTIONS",
    headers: { origin: "https://a.example", "access-control-request-method": "GET" },
  });
  expect([preflight.status, preflight.headers.get("x-wrapped")]).toEqual([204, null]);
  expect((await get("/info")).headers.get("access-control-allow-origin")).toBe("*");
});

test("the routes that the app replaces are named", () => {
  expect(replacedRoutes(agent.project)).toEqual([
    "http.app: its routes replace these of the agent server: GET /assistants/{assistant_id}, GET /info.",
  ]);
});

test("HEAD is a request for the head of what GET responds with", async () => {
  const response = await get("/items/7", { method: "HEAD" });
  expect([response.status, await response.text()]).toEqual([200, ""]);
  expect((await get("/ok", { method: "HEAD" })).status).toBe(200);
});

test("a client that waits for permission to send its body gets it once", async () => {
  const sent = request(`${agent.url}/upload`, { method: "POST", headers: { expect: "100-continue" } });
  let permissions = 0;
  sent.on("continue", () => {
    permissions++;
    for (let count = 0; count < 20; count++) sent.write(Buffer.alloc(50_000));
    sent.end();
  });
  sent.flushHeaders();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const piece of response) text += piece;
  expect([permissions, JSON.parse(text)]).toEqual([1, { size: 1_000_000 }]);
});

test("a connection serves its next request although the app left a body unread", async () => {
  const body = "x".repeat(300_000);
  const head = (method: string, path: string) => `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n`;
  const first = `${head("POST", "/first-chunk")}content-length: ${body.length}\r\n\r\n${body}`;
  const text = await conversation(agent.url, `${first}${head("GET", "/items/7")}connection: close\r\n\r\n`);
  expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  expect(text).toMatch(/\{"id":"7"\}/);
});

test.each([
  ["stream", {}],
  ["stream", { "x-shout": "1" }],
  ["wait", {}],
])("a client that disconnects behind middleware cancels its run: /runs/%s, %j", async (way, headers) => {
  const files = {
    "waiting.ts": `
      import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
      export const graph = new StateGraph(Annotation.Root({ text: Annotation }))
        .addNode("wait", (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve)))
        .addEdge(START, "wait").addEdge("wait", END).compile();`,
  };
  const keys = { graphs: { agent: "./waiting.ts:graph" }, http: { app: "./app.ts:app" } };
  await using waiting = await startConfigured({ keys, files });
  const { body: thread } = await waiting.call("POST", "/threads", {});
  const path = `/threads/${thread.thread_id}/runs`;
  const leaving = new AbortController();
  const body = JSON.stringify({ assistant_id: "agent", input: { text: "a" }, on_disconnect: "cancel" });
  const left = fetch(`${waiting.url}${path}/${way}`, { method: "POST", body, headers, signal: leaving.signal })
    .then((response) => response.text())
    .catch((error: Error) => error.name);
  const statusOf = async () => (await waiting.call("GET", path)).body[0]?.status;
  await until(async () => (await statusOf()) === "running");
  leaving.abort();
  expect(await left).toBe("AbortError");
  await until(async () => (await statusOf()) === "interrupted");
  expect(waiting.lines).toEqual([]);
});
