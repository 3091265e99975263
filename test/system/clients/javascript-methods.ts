import type { Client } from "@langchain/langgraph-sdk";
import { afterAll, beforeEach, expect, test } from "vitest";
import { startBuiltDev } from "../../kit/clients/built-server.ts";

const unknownId = "00000000-0000-4000-8000-00000000dead";
const message = { messages: [{ role: "user", content: "hello there" }] };

async function all<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/**
 * Calls every method of one version of the official client against the built server, in groups, and checks that none
 * was left out. The floor is the oldest supported version. It lacks `include` for threads, and time zones and metadata
 * for crons.
 */
export async function testEveryMethod(Version: typeof Client, { isFloor = false } = {}): Promise<void> {
  const called = new Set<string>();
  const server = await startBuiltDev();
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    const body = JSON.stringify({ assistants: true, threads: true, runs: true, store: true });
    const { ok } = await fetch(`${server.url}/internal/truncate`, { method: "POST", body });
    expect(ok).toBe(true);
  });
  const client = recorded(new Version({ apiUrl: server.url, apiKey: "key", callerOptions: { maxRetries: 0 } }), called);

  test("assistants are created, read, changed, listed, counted and deleted", async () => {
    const { assistants } = client;
    const created = await assistants.create({
      graphId: "chat",
      name: "Mine",
      metadata: { team: "a" },
      context: { pause_ms: 0 },
    });
    expect(created).toMatchObject({
      graph_id: "chat",
      name: "Mine",
      version: 1,
      metadata: { team: "a" },
      description: null,
    });
    const id = created.assistant_id;
    expect(await assistants.get(id)).toEqual(created);
    const updated = await assistants.update(id, { name: "Other", metadata: { more: 1 } });
    expect(updated).toMatchObject({
      version: 2,
      name: "Other",
      metadata: { team: "a", more: 1 },
      context: { pause_ms: 0 },
    });
    expect((await assistants.getVersions(id)).map(({ version }) => version)).toEqual([2, 1]);
    expect(await assistants.setLatest(id, 1)).toMatchObject({ version: 1, name: "Mine" });
    expect(await assistants.search({ metadata: { team: "a" } })).toHaveLength(1);
    const page = await assistants.search({ limit: 2, includePagination: true });
    expect(page).toMatchObject({ next: "2" });
    expect(await assistants.count({ graphId: "chat" })).toBe(2);
    await assistants.delete(id, { deleteThreads: true });
    await expect(assistants.get(id)).rejects.toThrow("404");
  });

  test("graphs are drawn and described", async () => {
    const { assistants } = client;
    const plain = await assistants.getGraph("subgraph");
    expect(plain.nodes.map(({ id }) => id)).toEqual([
      "__start__",
      "prepare",
      "research",
      "child",
      "summarize",
      "__end__",
    ]);
    const deep = await assistants.getGraph("subgraph", { xray: true });
    expect(deep.nodes.map(({ id }) => id)).toContain("child:search");
    expect(deep.edges).toContainEqual({ source: "child:judge", target: "summarize", conditional: false });
    expect(await assistants.getSchemas("approval")).toMatchObject({
      graph_id: "approval",
      state_schema: { properties: { log: { type: "array" } } },
    });
    expect(Object.keys(await assistants.getSubgraphs("subgraph"))).toEqual(["child"]);
    expect(Object.keys(await assistants.getSubgraphs("subgraph", { namespace: "child", recurse: true }))).toEqual([
      "child",
    ]);
  });

  test("threads are created, read, changed, copied, listed, counted, pruned and deleted", async () => {
    const { threads } = client;
    const thread = await threads.create({ metadata: { user: "ann" }, graphId: "approval", ttl: 60 });
    expect(thread).toMatchObject({ status: "idle", metadata: { user: "ann", graph_id: "approval" } });
    const id = thread.thread_id;
    expect(await threads.create({ threadId: id, ifExists: "do_nothing" })).toMatchObject({ thread_id: id });
    await expect(threads.create({ threadId: id })).rejects.toThrow("409");
    const ttl = isFloor ? {} : { ttl: { ttl_minutes: 60, strategy: "delete" } };
    expect(await threads.get(id, { include: ["ttl"] })).toMatchObject({ thread_id: id, ...ttl });
    expect(await threads.update(id, { metadata: { tier: 2 } })).toMatchObject({ metadata: { user: "ann", tier: 2 } });
    await threads.update(id, { metadata: { tier: 3 }, returnMinimal: true });
    const copy = await threads.copy(id);
    expect(copy.thread_id).not.toBe(id);
    expect(await threads.search({ metadata: { tier: 3 } })).toHaveLength(2);
    expect(await threads.search({ ids: [id], select: ["thread_id"] })).toEqual([{ thread_id: id }]);
    expect(await threads.count({ metadata: { user: "ann" } })).toBe(2);
    if (!isFloor) expect(await threads.prune([copy.thread_id, unknownId])).toEqual({ pruned_count: 1 });
    await threads.delete(id);
    await expect(threads.get(id)).rejects.toThrow("404");
  });

  test("a thread's state is read, changed and patched, and its history is read", async () => {
    const { threads, runs } = client;
    const { thread_id: id } = await threads.create();
    await runs.wait(id, "approval", { input: { log: ["start"] } });
    const state = await threads.getState<{ log: string[] }>(id, undefined, { subgraphs: true });
    expect(state).toMatchObject({ values: { log: ["start"] }, next: ["ask"] });
    expect(state.tasks[0]?.interrupts[0]).toMatchObject({ value: { question: "approve?" } });
    const checkpoint = state.checkpoint.checkpoint_id as string;
    expect(await threads.getState(id, checkpoint)).toMatchObject({ checkpoint: { checkpoint_id: checkpoint } });
    expect(await threads.getState(id, state.checkpoint)).toMatchObject({ next: ["ask"] });
    const updated = await threads.updateState(id, { values: { log: ["by hand"] }, asNode: "ask" });
    expect(updated).toMatchObject({ checkpoint: { thread_id: id, checkpoint_ns: "" } });
    await threads.patchState(id, { reviewed: true });
    expect(await threads.getState(id)).toMatchObject({
      values: { log: ["start", "by hand"] },
      next: ["act"],
      metadata: { source: "update", reviewed: true },
    });
    const history = await threads.getHistory(id, { limit: 2 });
    expect(history.map(({ next }) => next)).toEqual([["act"], ["ask"]]);
    const earlier = await threads.getHistory(id, { before: { configurable: state.checkpoint as never } });
    expect(earlier.map(({ metadata }) => metadata?.source)).toEqual(["input"]);
  });

  test("runs are started, followed, waited for, listed, read and deleted", async () => {
    const { threads, runs } = client;
    const { thread_id: id } = await threads.create();
    let createdId: string | undefined;
    const parts = await all(
      runs.stream(id, "chat", {
        input: message,
        streamMode: ["values", "messages-tuple"],
        onRunCreated: ({ run_id }) => {
          createdId = run_id;
        },
      }),
    );
    expect(parts.map(({ event }) => event)).toEqual([
      "metadata",
      "values",
      "messages",
      "messages",
      "messages",
      "values",
    ]);
    expect(parts[0]?.data).toEqual({ run_id: createdId, attempt: 1 });
    const result = (await runs.wait(id, "chat", { input: message })) as { messages: { content: string }[] };
    expect(result.messages.map(({ content }) => content)).toEqual([
      "hello there",
      "Echo: hello there",
      "hello there",
      "Echo: hello there",
    ]);
    const background = await runs.create(id, "chat", { input: message });
    expect(background).toMatchObject({ status: "pending", multitask_strategy: "enqueue" });
    expect(await runs.join(id, background.run_id)).toMatchObject({ messages: expect.any(Array) });
    expect(await runs.get(id, background.run_id)).toMatchObject({ status: "success" });
    expect(await runs.list(id, { limit: 2 })).toHaveLength(2);
    expect(await runs.list(id, { status: "success", select: ["run_id"] })).toContainEqual({
      run_id: background.run_id,
    });
    await runs.delete(id, background.run_id);
    await expect(runs.get(id, background.run_id)).rejects.toThrow("404");
  });

  test("stateless runs leave nothing behind", async () => {
    const { threads, runs } = client;
    const events = await all(runs.stream(null, "events", { input: { steps: 2 }, streamMode: "custom" }));
    expect(events.slice(1)).toEqual([
      { event: "custom", data: { step: 1, of: 2 } },
      { event: "custom", data: { step: 2, of: 2 } },
    ]);
    expect(await runs.wait(null, "events", { input: { steps: 1 } })).toEqual({ steps: 1, done: 1 });
    await expect(runs.wait(null, "failure", { input: { message: "kaboom" } })).rejects.toThrow("TypeError: kaboom");
    const batch = await runs.createBatch([
      { assistantId: "events", input: { steps: 1 } },
      { assistantId: "events", input: { steps: 1 }, multitaskStrategy: "reject" },
    ]);
    expect(batch).toHaveLength(2);
    const delayed = await runs.create(null, "delay", { input: { ms: 500, steps: 50 }, streamMode: "custom" });
    const [first] = await all(runs.joinStream(null, delayed.run_id));
    expect(first).toMatchObject({ event: "custom", data: { of: 50 } });
    expect(await threads.count()).toBe(0);
  });

  test("runs are interrupted, resumed and cancelled", async () => {
    const { threads, runs } = client;
    const { thread_id: id } = await threads.create();
    expect(await runs.wait(id, "approval", { input: { log: [] } })).toMatchObject({
      __interrupt__: [{ value: { question: "approve?" } }],
    });
    expect(await threads.get(id)).toMatchObject({ status: "interrupted" });
    expect(await runs.wait(id, "approval", { command: { resume: "yes" } })).toEqual({
      log: ["asked", "done"],
      answer: "yes",
    });
    const slow = await runs.create(id, "delay", { input: { ms: 60_000 } });
    await runs.cancel(id, slow.run_id, true, "interrupt");
    expect(await runs.get(id, slow.run_id)).toMatchObject({ status: "interrupted" });
    const many = [
      await runs.create(id, "delay", { input: { ms: 60_000 } }),
      await runs.create(id, "delay", { input: {} }),
    ];
    const runIds = many.map(({ run_id }) => run_id);
    if (!isFloor) await runs.cancelMany({ threadId: id, runIds, action: "rollback" });
    else for (const runId of runIds) await runs.cancel(id, runId, true, "rollback");
    await expect(runs.get(id, many[0]?.run_id as string)).rejects.toThrow("404");
  });

  test("streams are joined again where the reader left them", async () => {
    const { threads, runs } = client;
    const { thread_id: id } = await threads.create();
    const whole = await all(
      runs.stream(id, "events", { input: { steps: 4 }, streamMode: "custom", streamResumable: true }),
    );
    const [first] = await runs.list(id);
    const replay = await all(
      runs.joinStream(id, first?.run_id as string, { lastEventId: (whole[2] as { id?: string }).id as string }),
    );
    expect(replay).toEqual(whole.slice(3));
    expect(await all(runs.joinStream(id, first?.run_id as string))).toEqual([]);
  });

  test("a thread's stream continues from run to run", async () => {
    const { threads, runs } = client;
    const { thread_id: id } = await threads.create();
    const stop = new AbortController();
    const stream = threads.joinStream(id, { streamMode: ["lifecycle"], signal: stop.signal });
    const first = stream.next();
    let hasCome = false;
    void first.then(() => {
      hasCome = true;
    });
    while (!hasCome) await runs.wait(id, "events", { input: { steps: 1 } });
    const events = [(await first).value, (await stream.next()).value];
    expect(events.map(({ event, data }) => [event, data.event])).toEqual([
      ["lifecycle", "running"],
      ["lifecycle", "completed"],
    ]);
    stop.abort();
  });

  const lacksEvents = isFloor ? " (skipped: this version of the client has no event streaming)" : "";
  test.skipIf(isFloor)(
    `a thread's events are streamed while its runs are started by commands${lacksEvents}`,
    async () => {
      const stream = client.threads.stream({ assistantId: "events" });
      await stream.run.start({ input: { steps: 2 } });
      expect(await stream.output).toMatchObject({ done: 2 });
      await stream.close();
    },
  );

  test("schedules are created, changed, found, counted and deleted", async () => {
    const { threads, crons } = client;
    const { thread_id: id } = await threads.create();
    const ofThread = await crons.createForThread(id, "events", { schedule: "*/5 * * * *", input: { steps: 1 } });
    expect(ofThread).toMatchObject({ thread_id: id, schedule: "*/5 * * * *" });
    const cron = (await crons.create("events", {
      schedule: "0 9 * * *",
      timezone: "Asia/Kolkata",
      metadata: { k: 1 },
    })) as unknown as {
      cron_id: string;
      next_run_date: string;
    };
    expect(cron).toMatchObject({
      thread_id: null,
      next_run_date: expect.stringMatching(isFloor ? /T09:00:00/ : /T03:30:00/),
    });
    expect(await crons.update(cron.cron_id, { schedule: "0 10 * * *", enabled: false })).toMatchObject({
      enabled: false,
    });
    expect(await crons.search({ metadata: { k: 1 } })).toHaveLength(isFloor ? 2 : 1);
    expect(await crons.count()).toBe(2);
    await crons.delete(cron.cron_id);
    expect(await crons.count({ threadId: id })).toBe(1);
  });

  test("items are put, read, found and deleted", async () => {
    const { store } = client;
    await store.putItem(["users", "ann"], "likes", { food: "pizza", rank: 3 });
    await store.putItem(["users", "bob"], "likes", { food: "rice", rank: 1 }, { ttl: 5, index: false });
    expect(await store.getItem(["users", "ann"], "likes")).toMatchObject({ value: { food: "pizza", rank: 3 } });
    expect(await store.getItem(["users", "ann"], "nothing")).toBeNull();
    expect((await store.searchItems(["users"], { filter: { rank: { $gte: 2 } } })).items).toHaveLength(1);
    expect((await store.searchItems(["users"], { query: "who likes rice" })).items[0]).toMatchObject({
      key: "likes",
      namespace: ["users", "bob"],
    });
    expect(await store.listNamespaces({ prefix: ["users"] })).toEqual({
      namespaces: [
        ["users", "ann"],
        ["users", "bob"],
      ],
    });
    await store.deleteItem(["users", "ann"], "likes");
    expect(await store.getItem(["users", "ann"], "likes")).toBeNull();
  });

  test("no method was left out", () => {
    const methods = groupsOf(client).flatMap((group) => methodsOf(group));
    expect([...called].sort()).toEqual(methods.filter((name) => !(name in notCalled)).sort());
    if (!isFloor) expect(Object.keys(notCalled).filter((name) => !methods.includes(name))).toEqual([]);
  });
}

/** Methods that aren't called, with the reason. */
const notCalled: Readonly<Record<string, string>> = {
  "~ui.getComponent": "user interfaces of graphs aren't served",
};

/** The data that each group creates for itself. */
const inner = new Set(["constructor", "prepareFetchOptions", "fetch", "streamWithRetry"]);

interface Group {
  name: string;
  methods: Record<string, (...given: unknown[]) => unknown>;
}

/** The groups of a client, including the client itself. */
function groupsOf(client: Client): Group[] {
  const groups = Object.entries(client).filter(([, value]) => typeof value === "object" && value !== null);
  return [["client", client] as const, ...groups].map(([name, methods]) => ({ name, methods: methods as never }));
}

function methodsOf({ name, methods }: Group): string[] {
  const names = new Set<string>();
  for (let part = Object.getPrototypeOf(methods); part !== Object.prototype; part = Object.getPrototypeOf(part)) {
    for (const own of Object.getOwnPropertyNames(part)) if (!inner.has(own)) names.add(`${name}.${own}`);
  }
  return [...names];
}

/** A client that records which of its methods are called. */
function recorded(client: Client, called: Set<string>): Client {
  for (const group of groupsOf(client)) {
    for (const name of methodsOf(group)) {
      const key = name.slice(group.name.length + 1);
      const method = group.methods[key]?.bind(group.methods);
      if (method === undefined || name in notCalled) continue;
      group.methods[key] = (...given) => {
        called.add(name);
        return method(...given);
      };
    }
  }
  return client;
}
