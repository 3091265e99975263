import { expect, test } from "vitest";
import { startAgent, thread, until } from "../../../kit/agent-server/agent.ts";
import { endsRun, openEvents, shown, threadOf } from "../../../kit/agent-server/event-streaming.ts";

const hello = { messages: [{ role: "user", content: "hello you" }] };

test("a run that a command starts sends the events of each of its steps, in the order of the library", async () => {
  await using agent = await startAgent();
  const events = await threadOf(agent.url, agent.call, thread(1)).run("chat", hello);
  expect(shown(events)).toEqual([
    "lifecycle running",
    "checkpoints",
    "values",
    "tasks model",
    "messages message-start",
    "messages content-block-start",
    ...Array(3).fill("messages content-block-delta"),
    "messages content-block-finish",
    "messages message-finish",
    "updates model",
    "tasks model",
    "checkpoints",
    "values",
    "lifecycle completed",
  ]);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
  expect(agent.defects).toEqual([]);
});

test("an event is a frame whose id is its number", async () => {
  await using agent = await startAgent();
  await threadOf(agent.url, agent.call, thread(1)).run("events", { steps: 1 });
  const events = await openEvents(agent.url, thread(1), { channels: ["lifecycle"] });
  const params = { namespace: [], timestamp: agent.clock.now(), data: { event: "running", graph_name: "events" } };
  const event = { type: "event", event_id: `${params.timestamp}-1`, seq: 1, method: "lifecycle", params };
  expect(await events.frame()).toBe(`event: lifecycle\ndata: ${JSON.stringify(event)}\nid: 1`);
});

test("messages of states are compact, and keep what isn't empty", async () => {
  await using agent = await startAgent();
  const message = { role: "user", content: "hi", id: "m", additional_kwargs: { tone: "kind" } };
  const events = await threadOf(agent.url, agent.call, thread(1)).run("chat", { messages: [message] });
  const values = events.filter(({ method }) => method === "values").map(({ params }) => params.data);
  const said = { type: "human", content: "hi", id: "m", additional_kwargs: { tone: "kind" } };
  const reply = { type: "ai", content: "Echo: hi", id: expect.any(String) };
  expect(values).toEqual([{ messages: [said] }, { messages: [said, reply] }]);
  const update = events.find(({ method }) => method === "updates")?.params;
  expect(update).toMatchObject({ node: "model", data: { messages: [reply] } });
});

test("tools report their calls with the name of their node", async () => {
  await using agent = await startAgent();
  const input = { messages: [{ role: "user", content: "Rome" }] };
  const events = await threadOf(agent.url, agent.call, thread(1)).run("tools", input);
  const calls = events.filter(({ method }) => method === "tools").map(({ params }) => params);
  const id = calls[0]?.data.tool_call_id;
  expect(calls.map(({ data }) => data)).toEqual([
    { event: "tool-started", tool_call_id: id, tool_name: "weather", input: { city: "Rome" } },
    { event: "tool-finished", tool_call_id: id, output: expect.objectContaining({ content: "sunny in Rome" }) },
  ]);
  expect(calls[0]).toMatchObject({ namespace: [], node: "tools" });
});

test("subgraphs have namespaces, which a subscription can choose, with a depth", async () => {
  await using agent = await startAgent();
  const all = await threadOf(agent.url, agent.call, thread(1)).run("subgraph", { topic: "tea" });
  const child = all.find(({ params }) => params.namespace.length === 1)?.params.namespace as string[];
  const chosen = async (namespaces: string[][], depth?: number) => {
    const wanted = { namespaces, ...(depth === undefined ? {} : { depth }) };
    const events = await openEvents(agent.url, thread(1), wanted);
    const last = all.findLast(
      ({ params: { namespace } }) =>
        namespaces.some((prefix) => prefix.length <= namespace.length && depth !== -1) &&
        (namespaces[0]?.length === 0 ? depth === undefined || namespace.length <= depth : namespace.length > 0),
    );
    return events.next(({ seq }) => seq === last?.seq);
  };
  const inside = all.filter(({ params }) => params.namespace.length === 1);
  expect(shown(inside)).toEqual([
    "lifecycle child started",
    "checkpoints child",
    "values child",
    "tasks child search",
    "custom child",
    "updates child search",
    "tasks child search",
    "checkpoints child",
    "values child",
    "tasks child judge",
    "updates child judge",
    "tasks child judge",
    "checkpoints child",
    "values child",
    "lifecycle child completed",
  ]);
  expect(await chosen([child])).toEqual(inside);
  expect(await chosen([["child"]])).toEqual(inside);
  expect(await chosen([[]])).toEqual(all);
  expect(await chosen([[]], 0)).toEqual(all.filter(({ params }) => params.namespace.length === 0));
});

test("a subscription gets the events of its channels only; custom events are those with and without a name", async () => {
  await using agent = await startAgent();
  const named = { id: "named", channels: {}, edges: { __start__: "tell" } };
  await using own = await startAgent({
    graphs: [
      {
        ...named,
        nodes: {
          tell(_, node) {
            node.write({ name: "progress", payload: 1 });
            node.write({ name: "other", payload: 2 });
            node.write("plain");
            return {};
          },
        },
      },
    ],
  });
  const all = await threadOf(own.url, own.call, thread(1)).run("named", {});
  const custom = all.filter(({ method }) => method === "custom");
  expect(custom.map(({ params }) => params.data)).toEqual([
    { name: "progress", payload: 1 },
    { name: "other", payload: 2 },
    { payload: "plain" },
  ]);
  const of = async (channels: string[], count: number) => {
    const events = await openEvents(own.url, thread(1), { channels });
    return events.next(({ seq }) => seq === custom[count]?.seq);
  };
  expect(await of(["custom"], 2)).toEqual(custom);
  expect(await of(["custom:other"], 1)).toEqual([custom[1]]);
  expect(agent.defects).toEqual([]);
});

test("whoever subscribes late, or again after an event, gets exactly the events since", async () => {
  await using agent = await startAgent();
  const client = threadOf(agent.url, agent.call, thread(1));
  const first = await client.run("events", { steps: 2 });
  const second = await client.run("events", { steps: 1 });
  expect(second[0]?.seq).toBe(first.length + 1);
  const all = [...first, ...second];
  for (const since of [undefined, 0, 1, first.length, all.length - 1]) {
    const events = await openEvents(agent.url, thread(1), since === undefined ? {} : { since });
    expect(await events.next(({ seq }) => seq === all.length)).toEqual(all.slice(since ?? 0));
  }
});

test("a subscription works before its thread exists, and stays open after a run", async () => {
  await using agent = await startAgent();
  const events = await openEvents(agent.url, thread(1));
  const client = threadOf(agent.url, agent.call, thread(1));
  for (const steps of [1, 2]) {
    await client.command("run.start", { assistant_id: "events", input: { steps } });
    const run = await events.next(endsRun);
    expect(run.filter(({ method }) => method === "custom")).toHaveLength(steps);
    const { body } = await agent.call("GET", `/threads/${thread(1)}`);
    expect(body.status).toBe("idle");
  }
});

test("the run's end is said last, once its thread is settled", async () => {
  await using agent = await startAgent();
  const client = threadOf(agent.url, agent.call, thread(1));
  const failed = await client.run("failure", { message: "kaboom" });
  expect(failed.at(-1)?.params.data).toEqual({ event: "failed", graph_name: "failure", error: "kaboom" });
  expect((await agent.call("GET", `/threads/${thread(1)}`)).body.status).toBe("error");
  const interrupted = await threadOf(agent.url, agent.call, thread(2)).run("approval", { log: "x" });
  expect(shown(interrupted).slice(-3)).toEqual(["input.requested", "tasks ask", "lifecycle interrupted"]);
  expect((await agent.call("GET", `/threads/${thread(2)}`)).body.status).toBe("interrupted");
});

test("a cancelled run ends as interrupted, one that is undone too", async () => {
  await using agent = await startAgent();
  for (const [n, action] of [
    [1, "interrupt"],
    [2, "rollback"],
  ] as const) {
    const client = threadOf(agent.url, agent.call, thread(n));
    const events = await openEvents(agent.url, thread(n), { channels: ["lifecycle"] });
    const { result } = await client.command("run.start", { assistant_id: "delay", input: { ms: 60_000 } });
    await agent.call("POST", `/threads/${thread(n)}/runs/${result.run_id}/cancel?wait=1&action=${action}`);
    const statuses = (await events.next(endsRun)).map(({ params }) => params.data.event);
    expect(statuses).toEqual(["running", "interrupted"]);
  }
});

test("runs that wait say nothing until it is their turn", async () => {
  await using agent = await startAgent();
  const client = threadOf(agent.url, agent.call, thread(1));
  const events = await openEvents(agent.url, thread(1), { channels: ["lifecycle"] });
  const start = (more: object) => client.command("run.start", { assistant_id: "delay", input: { ms: 1000 }, ...more });
  await start({});
  await start({ multitask_strategy: "enqueue" });
  await start({ multitaskStrategy: "interrupt" });
  expect((await start({ multitaskStrategy: "reject" })).error).toBe("invalid_argument");
  agent.clock.advance("1s");
  const said: string[] = [];
  await events.next(({ params: { data } }) => said.push(data.event) === 4);
  expect(said).toEqual(["running", "interrupted", "running", "completed"]);
});

test("the streams of a deleted thread end, and so do all when the server closes", async () => {
  const agent = await startAgent();
  const { length } = await threadOf(agent.url, agent.call, thread(1)).run("events", {});
  await threadOf(agent.url, agent.call, thread(2)).run("events", {});
  const deleted = await openEvents(agent.url, thread(1), { since: length });
  const open = await openEvents(agent.url, thread(2), { since: length });
  await agent.call("DELETE", `/threads/${thread(1)}`);
  expect(await deleted.frame()).toBeUndefined();
  await agent[Symbol.asyncDispose]();
  expect(await open.frame().catch(() => undefined)).toBeUndefined();
  expect(agent.defects).toEqual([]);
});

test("events beyond the limit are dropped: a late subscriber gets those that are left, and `since` says what is gone", async () => {
  await using agent = await startAgent({ streamLimits: { replay: 4000, lag: 1024 * 1024 } });
  const client = threadOf(agent.url, agent.call, thread(1));
  await client.run("events", { steps: 100 });
  const late = await openEvents(agent.url, thread(1));
  const left = await late.next(endsRun);
  expect(left[0]?.seq).toBeGreaterThan(50);
  expect(left.map(({ seq }) => seq)).toEqual(left.map((_, index) => (left[0]?.seq ?? 0) + index));
  const gone = await openEvents(agent.url, thread(1), { since: 1 });
  const frame = await gone.frame();
  const [head, data = ""] = (frame ?? "").split("\ndata: ");
  expect(head).toBe("event: error");
  const message = expect.stringContaining("no longer kept");
  expect(JSON.parse(data)).toEqual({ type: "error", id: null, error: "unknown_error", message });
  expect(await gone.frame()).toBeUndefined();
});

test("a reader that reads nothing is cut off, and the run goes on", async () => {
  await using agent = await startAgent({ streamLimits: { replay: 1024 * 1024, lag: 2000 } });
  const stuck = await fetch(`${agent.url}/threads/${thread(1)}/stream/events`, {
    method: "POST",
    body: JSON.stringify({ channels: ["custom"] }),
  });
  const client = threadOf(agent.url, agent.call, thread(1));
  const { result } = await client.command("run.start", { assistant_id: "burst", input: { n: 20_000 } });
  await until(async () => {
    const { body } = await agent.call("GET", `/threads/${thread(1)}/runs/${result.run_id}`);
    return body.status === "success";
  });
  expect(await stuck.text()).toContain("is cut off");
});

test.each([
  ["no body", "", "body"],
  ["no JSON", "{", "not valid JSON"],
  ["no channels", "{}", "body.channels: Field required"],
  ["an empty list", '{"channels":[]}', "body.channels: List should have at least 1 item(s)"],
  ["an unknown channel", '{"channels":["debug"]}', 'which "debug" isn\'t; the channels are values, updates'],
  ["a custom channel without a name", '{"channels":["custom:"]}', "Input should be a channel"],
  [
    "a depth below zero",
    '{"channels":["values"],"depth":-1}',
    "body.depth: Input should be greater than or equal to 0",
  ],
  ["a namespace of numbers", '{"channels":["values"],"namespaces":[[1]]}', "body.namespaces.0.0"],
  ["a number as text", '{"channels":["values"],"since":"1"}', "body.since: Input should be a valid number"],
])("a subscription with %s is a 400 that says what is wrong", async (_, body, detail) => {
  await using agent = await startAgent();
  const response = await agent.call("POST", `/threads/${thread(1)}/stream/events`, body);
  expect(response).toMatchObject({ status: 400, body: { detail: expect.stringContaining(detail) } });
});
