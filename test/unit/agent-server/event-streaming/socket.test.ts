import { once } from "node:events";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { startDevServer } from "../../../../mock-server/dev-server.ts";
import { startAgent, thread, until } from "../../../kit/agent-server/agent.ts";
import {
  allChannels,
  endsRun,
  openEvents,
  openSocket,
  shown,
  threadOf,
} from "../../../kit/agent-server/event-streaming.ts";
import { apiOf } from "../../../kit/mock-server/api.ts";

const start = (steps: number) => ({ assistant_id: "events", input: { steps } });
const subscribe = ["subscription.subscribe", { channels: allChannels }] as const;

test("a socket can subscribe, wait for the response, and then start the run whose events it gets", async () => {
  await using agent = await startAgent();
  const socket = await openSocket(agent.url, thread(1));
  expect(await socket.command(...subscribe)).toEqual({
    type: "success",
    id: 1,
    result: { subscription_id: expect.any(String), replayed_events: 0 },
    meta: { thread_id: thread(1), applied_through_seq: 0 },
  });
  expect(await socket.command("run.start", start(1))).toMatchObject({ id: 2, result: { run_id: expect.any(String) } });
  await socket.find(endsRun);
  expect(shown(socket.events())).toEqual([
    "lifecycle running",
    "checkpoints",
    "values",
    "tasks work",
    "custom",
    "updates work",
    "tasks work",
    "checkpoints",
    "values",
    "lifecycle completed",
  ]);
  expect(socket.events().map(({ seq }) => seq)).toEqual(socket.events().map((_, index) => index + 1));
});

test("earlier events come after the response, before any later one, and once for each subscription", async () => {
  await using agent = await startAgent();
  await threadOf(agent.url, agent.call, thread(1)).run("events", { steps: 2 });
  const socket = await openSocket(agent.url, thread(1));
  const custom = await socket.command("subscription.subscribe", { channels: ["custom"] });
  expect(custom.result.replayed_events).toBe(2);
  socket.send("run.start", start(1));
  const all = await socket.command("subscription.subscribe", { channels: ["lifecycle", "custom"], since: 3 });
  expect(all.result.replayed_events).toBeGreaterThanOrEqual(3);
  await socket.find((message) => endsRun(message) && message.seq > 12);
  const position = (isWanted: (message: { id?: number; seq?: number }) => boolean) =>
    socket.messages.findIndex(isWanted);
  expect(position(({ seq }) => seq === 5)).toBeGreaterThan(position(({ id }) => id === 1));
  const after = socket.messages.slice(position(({ id }) => id === 3) + 1).map(({ seq }) => seq);
  expect(after).toEqual([...after].sort((a, b) => a - b));
  expect(new Set(after).size).toBe(after.length);
});

test("a subscription ends with unsubscribe", async () => {
  await using agent = await startAgent();
  const socket = await openSocket(agent.url, thread(1));
  const { result } = await socket.command(...subscribe);
  expect((await socket.command("subscription.unsubscribe", result)).result).toEqual({});
  expect((await socket.command("subscription.unsubscribe", result)).error).toBe("no_such_subscription");
  expect((await socket.command("subscription.unsubscribe", {})).error).toBe("invalid_argument");
  await socket.command("run.start", start(1));
  await until(async () => (await agent.call("GET", `/threads/${thread(1)}`)).body.status === "idle");
  await socket.command("state.get");
  expect(socket.events()).toEqual([]);
});

test("commands are executed one after another, whatever they are", async () => {
  await using agent = await startAgent();
  const socket = await openSocket(agent.url, thread(1));
  socket.socket.send("not json");
  socket.socket.send('{"id":7}');
  socket.send("nope");
  socket.send("state.get");
  socket.send("run.start", start(0));
  socket.send("agent.getTree");
  await socket.find(({ id }) => id === 4);
  expect(socket.messages.map(({ id, error = "" }) => [id, error])).toEqual([
    [null, "invalid_argument"],
    [7, "invalid_argument"],
    [1, "unknown_command"],
    [2, "no_such_run"],
    [3, ""],
    [4, expect.any(String)],
  ]);
});

test("a connection has a bounded number of subscriptions", async () => {
  await using agent = await startAgent();
  const socket = await openSocket(agent.url, thread(1));
  for (let n = 0; n < 1001; n++) socket.send("subscription.subscribe", { channels: ["values"] });
  expect((await socket.find(({ id }) => id === 1001)).error).toBe("invalid_argument");
});

test.each([
  ["a binary message", 1003, async (socket: WebSocket) => socket.send(Buffer.from([1]))],
  ["a message over the limit", 1009, async (socket: WebSocket) => socket.send("x".repeat(17 * 1024 * 1024))],
])("%s closes the socket with %i", async (_, code, send) => {
  await using agent = await startAgent();
  const { socket, closed } = await openSocket(agent.url, thread(1));
  await send(socket);
  expect((await closed).code).toBe(code);
  expect(agent.defects).toEqual([]);
});

test("the socket of a deleted thread is closed for good, and that of a closing server so that the client comes back", async () => {
  const agent = await startAgent();
  await threadOf(agent.url, agent.call, thread(1)).run("events", {});
  const deleted = await openSocket(agent.url, thread(1));
  const open = await openSocket(agent.url, thread(2));
  await Promise.all([deleted.command(...subscribe), open.command(...subscribe)]);
  await agent.call("DELETE", `/threads/${thread(1)}`);
  expect(await deleted.closed).toEqual({ code: 4404, reason: "The thread was deleted" });
  await agent[Symbol.asyncDispose]();
  expect((await open.closed).code).toBeLessThan(4000);
});

test("a client that reads nothing is cut off with 4429, and the run goes on", async () => {
  await using agent = await startAgent({ streamLimits: { replay: 1024 * 1024, lag: 2000 } });
  const { socket, closed } = await openSocket(agent.url, thread(1));
  socket.send(JSON.stringify({ id: 1, method: "subscription.subscribe", params: { channels: ["custom"] } }));
  await once(socket, "message");
  socket.pause();
  const client = threadOf(agent.url, agent.call, thread(1));
  const { result } = await client.command("run.start", { assistant_id: "burst", input: { n: 100_000 } });
  await until(async () => {
    const { body } = await agent.call("GET", `/threads/${thread(1)}/runs/${result.run_id}`);
    return body.status === "success";
  });
  socket.resume();
  expect((await closed).code).toBe(4429);
});

test("a request that isn't a WebSocket's is a 426, and a page of another site is refused", async () => {
  await using agent = await startAgent();
  const plain = await agent.call("GET", `/threads/${thread(1)}/stream/events`);
  expect([plain.status, plain.headers.get("upgrade")]).toEqual([426, "websocket"]);
  for (const headers of [{ origin: "https://a.example" }, { origin: "null" }]) {
    const { closed } = await openSocket(agent.url, thread(1), headers);
    expect(await closed).toEqual({ code: 4403, reason: expect.stringContaining("other sites") });
  }
  const local = await openSocket(agent.url, thread(1), { origin: "http://localhost:3000" });
  expect((await local.command("state.get")).error).toBe("no_such_run");
});

test("a thread's id must be one, and no other path has WebSockets", async () => {
  await using agent = await startAgent();
  const { closed } = await openSocket(agent.url, "no-id");
  expect(await closed).toEqual({ code: 4422, reason: expect.stringContaining("UUID") });
  const elsewhere = new WebSocket(`${agent.url.replace("http", "ws")}/assistants/count`);
  const [request, response] = await once(elsewhere, "unexpected-response");
  expect(response.statusCode).toBe(405);
  request.destroy();
});

test("a server that closes gracefully doesn't wait for streams without an end, and tells sockets that it goes away", async () => {
  const server = await startDevServer(0);
  const socket = await openSocket(server.url, thread(1));
  await socket.command(...subscribe);
  const events = await openEvents(server.url, thread(1));
  await apiOf(server.url)("POST", "/threads", { thread_id: thread(2) });
  const older = await fetch(`${server.url}/threads/${thread(2)}/stream`);
  await server.close({ gracePeriodMs: 60_000 });
  expect(await socket.closed).toEqual({ code: 1001, reason: "The server is closing" });
  expect(await events.frame().catch(() => undefined)).toBeUndefined();
  expect(await older.text().catch(() => "")).toBe("");
});
