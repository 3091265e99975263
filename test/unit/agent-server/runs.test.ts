import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { appended, lastValue } from "../../../mock-server/agent-server/engine/channels.ts";
import { NodeCommand, type ScriptedGraph } from "../../../mock-server/agent-server/engine/scripted-graph.ts";
import { startAgent, thread, until } from "../../kit/agent-server/agent.ts";

const slow = { assistant_id: "delay", input: { ms: 60_000 } };
const quick = { assistant_id: "events", input: { steps: 1 } };

async function statuses(agent: Awaited<ReturnType<typeof startAgent>>, threadId: string): Promise<string[]> {
  const { body } = await agent.call("GET", `/threads/${threadId}/runs`);
  return body.map(({ status }: { status: string }) => status).reverse();
}

test("runs of one thread wait for each other and run in order", async () => {
  await using agent = await startAgent();
  const runs = `/threads/${thread(1)}/runs`;
  for (const body of [slow, quick, quick]) await agent.call("POST", runs, { ...body, if_not_exists: "create" });
  expect(await statuses(agent, thread(1))).toEqual(["running", "pending", "pending"]);
  expect((await agent.call("GET", `/threads/${thread(1)}`)).body.status).toBe("busy");
  agent.clock.advance("1m");
  await until(async () => (await statuses(agent, thread(1))).every((status) => status === "success"));
  expect((await agent.call("GET", `/threads/${thread(1)}`)).body.status).toBe("idle");
});

test("a busy thread refuses a run with the strategy reject", async () => {
  await using agent = await startAgent();
  const runs = `/threads/${thread(1)}/runs`;
  await agent.call("POST", runs, { ...slow, if_not_exists: "create" });
  expect(await agent.call("POST", runs, { ...quick, multitask_strategy: "reject" })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("multitask strategy") },
  });
});

test("the strategy interrupt ends the run in progress and keeps it", async () => {
  await using agent = await startAgent();
  const runs = `/threads/${thread(1)}/runs`;
  for (const body of [slow, quick]) await agent.call("POST", runs, { ...body, if_not_exists: "create" });
  await agent.call("POST", `${runs}/wait`, { ...quick, multitask_strategy: "interrupt" });
  expect(await statuses(agent, thread(1))).toEqual(["interrupted", "interrupted", "success"]);
});

test("the strategy rollback undoes the run in progress", async () => {
  await using agent = await startAgent();
  const runs = `/threads/${thread(1)}/runs`;
  await agent.call("POST", `${runs}/wait`, { ...quick, if_not_exists: "create" });
  const before = (await agent.call("GET", `/threads/${thread(1)}/state`)).body;
  await agent.call("POST", runs, slow);
  await until(async () => (await statuses(agent, thread(1)))[1] === "running");
  await agent.call("POST", runs, { ...slow, multitask_strategy: "rollback" });
  expect(await statuses(agent, thread(1))).toHaveLength(2);
  const [, latest] = (await agent.call("GET", `${runs}?limit=2`)).body;
  await agent.call("POST", `${runs}/${latest.run_id}/cancel?wait=true&action=rollback`);
  const [replacement] = (await agent.call("GET", runs)).body;
  if (replacement) await agent.call("POST", `${runs}/${replacement.run_id}/cancel?wait=1&action=rollback`);
  expect((await agent.call("GET", `/threads/${thread(1)}/history?limit=100`)).body.length).toBeLessThanOrEqual(3);
  expect(before.values).toEqual({ steps: 1, done: 1 });
});

test("at most as many runs as there are workers execute at once, and threads take turns", async () => {
  await using agent = await startAgent({ workers: 1 });
  const create = (id: string, body: object) =>
    agent.call("POST", `/threads/${id}/runs`, { ...body, if_not_exists: "create" });
  for (let count = 0; count < 3; count++) await create(thread(1), slow);
  await create(thread(2), quick);
  agent.clock.advance("1m");
  await until(async () => (await statuses(agent, thread(2)))[0] === "success");
  expect(await statuses(agent, thread(1))).toEqual(["success", "running", "pending"]);
  expect((await agent.call("GET", "/metrics?format=json")).body).toMatchObject({
    queue: { num_pending: 1, num_running: 1 },
  });
});

test("a run with after_seconds starts after that time on the server's clock", async () => {
  await using agent = await startAgent();
  const runs = `/threads/${thread(1)}/runs`;
  await agent.call("POST", runs, { ...quick, after_seconds: 30, if_not_exists: "create" });
  expect(await statuses(agent, thread(1))).toEqual(["pending"]);
  agent.clock.advance("29s");
  expect(await statuses(agent, thread(1))).toEqual(["pending"]);
  agent.clock.advance("1s");
  await until(async () => (await statuses(agent, thread(1)))[0] === "success");
});

test("a run that is cancelled while queued never starts", async () => {
  await using agent = await startAgent();
  const runs = `/threads/${thread(1)}/runs`;
  const { body } = await agent.call("POST", runs, { ...quick, after_seconds: 30, if_not_exists: "create" });
  expect((await agent.call("POST", `${runs}/${body.run_id}/cancel?wait=1`)).status).toBe(204);
  agent.clock.advance("1m");
  expect(await statuses(agent, thread(1))).toEqual(["interrupted"]);
  expect((await agent.call("GET", `/threads/${thread(1)}`)).body.status).toBe("idle");
});

test("several runs are cancelled at once, by status or by id", async () => {
  await using agent = await startAgent();
  for (const n of [1, 2]) await agent.call("POST", `/threads/${thread(n)}/runs`, { ...slow, if_not_exists: "create" });
  expect((await agent.call("POST", "/runs/cancel", { status: "all" })).status).toBe(204);
  expect([await statuses(agent, thread(1)), await statuses(agent, thread(2))]).toEqual([
    ["interrupted"],
    ["interrupted"],
  ]);
  expect((await agent.call("POST", "/runs/cancel", {})).status).toBe(422);
  expect((await agent.call("POST", "/runs/cancel", { run_ids: null })).status).toBe(422);
  expect((await agent.call("POST", "/runs/cancel", { status: "all", run_ids: null })).status).toBe(422);
  const ids = { thread_id: thread(1), run_ids: [thread(9)] };
  expect((await agent.call("POST", "/runs/cancel", ids)).status).toBe(404);
});

test("deleting a thread deletes its runs, including those in progress", async () => {
  await using agent = await startAgent();
  const runs = `/threads/${thread(1)}/runs`;
  const joined = agent.events("POST", `${runs}/stream`, { ...slow, if_not_exists: "create" });
  await until(async () => (await statuses(agent, thread(1)).catch(() => []))[0] === "running");
  expect((await agent.call("DELETE", `/threads/${thread(1)}`)).status).toBe(204);
  expect((await joined).map(({ event }) => event)).toEqual(["metadata", "values"]);
  expect((await agent.call("GET", runs)).status).toBe(404);
  expect(agent.defects).toEqual([]);
});

test("a run that is deleted during execution ends, and its thread becomes idle", async () => {
  await using agent = await startAgent();
  const runs = `/threads/${thread(1)}/runs`;
  const { body } = await agent.call("POST", runs, { ...slow, if_not_exists: "create" });
  const joined = agent.events("GET", `${runs}/${body.run_id}/stream`);
  await until(async () => (await statuses(agent, thread(1)))[0] === "running");
  expect((await agent.call("DELETE", `${runs}/${body.run_id}`)).status).toBe(204);
  await joined;
  expect(await statuses(agent, thread(1))).toEqual([]);
  expect((await agent.call("GET", `/threads/${thread(1)}`)).body.status).toBe("idle");
  expect(agent.defects).toEqual([]);
});

test("deleting an assistant during one of its runs lets that run end, and no other starts", async () => {
  await using agent = await startAgent();
  const { body: assistant } = await agent.call("POST", "/assistants", { graph_id: "delay" });
  const runs = `/threads/${thread(1)}/runs`;
  const body = { ...slow, assistant_id: assistant.assistant_id, if_not_exists: "create" };
  await agent.call("POST", runs, body);
  await agent.call("POST", runs, body);
  await agent.call("DELETE", `/assistants/${assistant.assistant_id}`);
  expect((await agent.call("POST", runs, body)).status).toBe(404);
  await until(async () => {
    agent.clock.advance("1m");
    return (await statuses(agent, thread(1))).every((status) => status === "success");
  });
  expect(agent.defects).toEqual([]);
});

test("a run continues from the checkpoint that it names", async () => {
  await using agent = await startAgent();
  const path = `/threads/${thread(1)}`;
  const body = { assistant_id: "approval", input: { log: ["a"] }, if_not_exists: "create" };
  await agent.call("POST", `${path}/runs/wait`, body);
  const interrupted = (await agent.call("GET", `${path}/state`)).body.checkpoint;
  await agent.call("POST", `${path}/runs/wait`, { assistant_id: "approval", command: { resume: "yes" } });
  const fork = { assistant_id: "approval", command: { resume: "no" }, checkpoint: interrupted };
  expect((await agent.call("POST", `${path}/runs/wait`, fork)).body).toEqual({
    log: ["a", "asked", "refused"],
    answer: "no",
  });
});

test("a run stops before and after the requested nodes, and continues without an input", async () => {
  await using agent = await startAgent();
  const path = `/threads/${thread(1)}`;
  const body = {
    assistant_id: "subgraph",
    input: { topic: "x" },
    if_not_exists: "create",
    interrupt_before: ["child"],
  };
  const stopped = (await agent.call("POST", `${path}/runs/wait`, body)).body;
  expect(stopped).toMatchObject({ topic: "x" });
  const waiting = { status: "interrupted", values: stopped, interrupts: {} };
  expect((await agent.call("GET", path)).body).toMatchObject(waiting);
  expect((await agent.call("GET", `${path}/state`)).body.next).toEqual(["child"]);
  const on = { assistant_id: "subgraph", input: null, interrupt_after: "*" };
  await agent.call("POST", `${path}/runs/wait`, on);
  expect((await agent.call("GET", `${path}/state`)).body.next).toEqual(["summarize"]);
  const end = await agent.call("POST", `${path}/runs/wait`, { assistant_id: "subgraph" });
  expect(end.body).toMatchObject({ summary: "2 findings" });
});

test("a command goes to nodes, also with their own inputs, and updates the state", async () => {
  const fan: ScriptedGraph = {
    id: "fan",
    channels: { seen: appended(), total: lastValue(0) },
    nodes: {
      split: () =>
        new NodeCommand({
          update: { seen: ["split"] },
          goto: [
            { node: "work", input: { n: 1 } },
            { node: "work", input: { n: 2 } },
          ],
        }),
      work: ({ n }) => ({ seen: [`work ${n}`] }),
      sum: ({ seen }) => ({ total: (seen as string[]).length }),
    },
    edges: { __start__: "split", split: { pick: () => [], targets: ["work"] }, work: "sum" },
  };
  await using agent = await startAgent({ graphs: [fan] });
  const result = await agent.call("POST", "/runs/wait", { assistant_id: "fan", input: {} });
  expect(result.body).toEqual({ seen: ["split", "work 1", "work 2"], total: 3 });
  const path = `/threads/${thread(1)}/runs/wait`;
  const jump = { assistant_id: "fan", command: { update: { seen: ["given"] }, goto: "sum" }, if_not_exists: "create" };
  expect((await agent.call("POST", path, jump)).body).toEqual({ seen: ["given"], total: 1 });
});

test("an interrupt within a subgraph is answered there", async () => {
  const inner: ScriptedGraph = {
    id: "inner",
    channels: { answers: appended() },
    nodes: {
      before: () => ({ answers: ["before"] }),
      ask: (_, node) => ({ answers: [node.interrupt("first?"), node.interrupt("second?")] }),
    },
    edges: { __start__: "before", before: "ask" },
  };
  const outer: ScriptedGraph = {
    id: "outer",
    channels: { answers: lastValue([]) },
    nodes: { child: { graph: inner } },
    edges: { __start__: "child" },
  };
  await using agent = await startAgent({ graphs: [outer] });
  const path = `/threads/${thread(1)}`;
  const wait = (body: object) =>
    agent.call("POST", `${path}/runs/wait`, { assistant_id: "outer", if_not_exists: "create", ...body });
  expect((await wait({ input: {} })).body.__interrupt__).toMatchObject([{ value: "first?" }]);
  const state = (await agent.call("GET", `${path}/state?subgraphs=true`)).body;
  expect(state.tasks[0].state).toMatchObject({ values: { answers: ["before"] }, next: ["ask"] });
  expect((await wait({ command: { resume: 1 } })).body.__interrupt__).toMatchObject([{ value: "second?" }]);
  expect((await wait({ command: { resume: 2 } })).body).toEqual({ answers: ["before", 1, 2] });
});

test.each<[string, ScriptedGraph["nodes"][string], string, string]>([
  [
    "throws",
    () => {
      throw new RangeError("out of range");
    },
    "RangeError",
    "out of range",
  ],
  [
    "throws no error",
    () => {
      throw "a string";
    },
    "Error",
    "a string",
  ],
  ["returns what is no object", () => 5 as never, "InvalidUpdateError", "must return an object"],
  ["returns what can't be serialized", () => ({ value: 1n }), "TypeError", "can't be sent as JSON"],
])("a node that %s fails its run and nothing else", async (_, node, error, message) => {
  const graph: ScriptedGraph = {
    id: "bad",
    channels: { value: lastValue(null) },
    nodes: { node },
    edges: { __start__: "node" },
  };
  await using agent = await startAgent({ graphs: [graph] });
  const body = { assistant_id: "bad", input: {}, if_not_exists: "create" };
  const events = await agent.events("POST", `/threads/${thread(1)}/runs/stream`, body);
  expect(events.at(-1)).toMatchObject({ event: "error", data: { error, message: expect.stringContaining(message) } });
  expect((await agent.call("GET", `/threads/${thread(1)}`)).body).toMatchObject({ status: "error", error: { error } });
  expect(await statuses(agent, thread(1))).toEqual(["error"]);
  expect((await agent.call("GET", "/ok")).status).toBe(200);
  expect(agent.defects).toEqual([]);
});

test("a node that never ends can be cancelled", async () => {
  const graph: ScriptedGraph = {
    id: "stuck",
    channels: { value: lastValue(null) },
    nodes: { wait: () => new Promise<never>(() => {}) },
    edges: { __start__: "wait" },
  };
  await using agent = await startAgent({ graphs: [graph] });
  const path = `/threads/${thread(1)}/runs`;
  const { body } = await agent.call("POST", path, { assistant_id: "stuck", input: {}, if_not_exists: "create" });
  expect((await agent.call("POST", `${path}/${body.run_id}/cancel?wait=1`)).status).toBe(204);
  expect(await statuses(agent, thread(1))).toEqual(["interrupted"]);
});

test("the recursion limit stops an endless loop of a graph", async () => {
  const graph: ScriptedGraph = {
    id: "loop",
    channels: { n: lastValue(0) },
    nodes: { again: ({ n }) => ({ n: Number(n) + 1 }) },
    edges: { __start__: "again", again: "again" },
  };
  await using agent = await startAgent({ graphs: [graph] });
  const body = { assistant_id: "loop", input: {}, config: { recursion_limit: 5 } };
  expect((await agent.call("POST", "/runs/wait", body)).body).toMatchObject({
    __error__: { error: "GraphRecursionError" },
  });
});

test("nodes read the context, the headers of the request and the store", async () => {
  const graph: ScriptedGraph = {
    id: "reader",
    channels: { seen: lastValue(null) },
    nodes: {
      async read(_, { config, context, store }) {
        await store.put(["notes"], "last", { context });
        const { configurable } = config as { configurable: Record<string, unknown> };
        return {
          seen: {
            header: configurable["x-user"],
            key: configurable["x-api-key"] ?? null,
            stored: await store.get(["notes"], "last"),
          },
        };
      },
    },
    edges: { __start__: "read" },
  };
  await using agent = await startAgent({ graphs: [graph] });
  const { body: assistant } = await agent.call("POST", "/assistants", {
    graph_id: "reader",
    context: { tone: "kind" },
  });
  const body = { assistant_id: assistant.assistant_id, input: {}, context: { size: 2 } };
  const response = await agent.call("POST", "/runs/wait", body, { "x-user": "ann" });
  expect(response.body.seen).toEqual({ header: "ann", key: null, stored: { context: { tone: "kind", size: 2 } } });
});

test("metadata in a config reaches the graph, the run and its checkpoints, beside the server's own", async () => {
  const graph: ScriptedGraph = {
    id: "reader",
    channels: { seen: lastValue(null) },
    nodes: { read: (_, { config }) => ({ seen: config.metadata }) },
    edges: { __start__: "read" },
  };
  await using agent = await startAgent({ graphs: [graph] });
  const { body: assistant } = await agent.call("POST", "/assistants", {
    graph_id: "reader",
    config: { metadata: { of: "assistant", made: "by hand" } },
  });
  const path = `/threads/${thread(1)}`;
  const config = { metadata: { of: "run", mm: "1", graph_id: "other" } };
  const body = { assistant_id: assistant.assistant_id, input: {}, config, if_not_exists: "create" };
  const expected = { of: "run", mm: "1", made: "by hand", graph_id: "reader", assistant_id: assistant.assistant_id };
  expect((await agent.call("POST", `${path}/runs/wait`, body)).body.seen).toMatchObject(expected);
  const [run] = (await agent.call("GET", `${path}/runs`)).body;
  expect(run).toMatchObject({ metadata: expected, kwargs: { config: { metadata: expected } } });
  for (const state of (await agent.call("GET", `${path}/history`)).body) expect(state.metadata).toMatchObject(expected);
});

test("a response that waits for a run has the location to join it, also for a stateless run", async () => {
  await using agent = await startAgent();
  const runs = `/threads/${thread(1)}/runs`;
  const location = (run: string) => `${runs}/${run}/join`;
  const waited = await agent.call("POST", `${runs}/wait`, { ...quick, if_not_exists: "create" });
  const [{ run_id: ended }] = (await agent.call("GET", runs)).body;
  expect(waited.headers.get("location")).toBe(location(ended));
  expect((await agent.call("GET", location(ended))).headers.get("location")).toBe(location(ended));
  const { run_id: begun } = (await agent.call("POST", runs, slow)).body;
  const cancelled = await agent.call("POST", `${runs}/${begun}/cancel?wait=1`);
  expect(cancelled.headers.get("location")).toBe(location(begun));
  const body = JSON.stringify(slow);
  const cut = await fetch(`${agent.url}/runs/wait`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  await cut.body?.cancel();
  const joined = await fetch(agent.url + cut.headers.get("location"));
  agent.clock.advance("1m");
  expect(await joined.json()).toMatchObject({ ms: 60_000 });
});

test("a webhook gets the outcome of a run, is retried, and its URL is unchanged", async () => {
  const received: { url: string | undefined; body: string }[] = [];
  const receiver = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    received.push({ url: request.url, body });
    response.writeHead(received.length === 1 ? 503 : 200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  await using agent = await startAgent();
  const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?sig=a%2Fb%20c`;
  await agent.call("POST", "/runs/wait", { ...quick, webhook });
  await until(async () => {
    agent.clock.advance("1s");
    return received.length === 2;
  });
  receiver.close();
  expect(received[1]?.url).toBe("/hook?sig=a%2Fb%20c");
  expect(JSON.parse(received[1]?.body ?? "")).toMatchObject({ status: "success", values: { done: 1 } });
});

test.each(["/relative", "ftp://127.0.0.1/x", "http://192.0.2.1/x"])("a webhook to %s is refused", async (webhook) => {
  await using agent = await startAgent();
  expect(await agent.call("POST", "/runs/wait", { ...quick, webhook })).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining("webhook") },
  });
});
