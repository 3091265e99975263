import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { RemoteGraph } from "@langchain/langgraph/remote";
import { Client } from "@langchain/langgraph-sdk";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { checkout } from "../../../scripts/run-command.ts";
import { startBuiltDev, startBuiltMock } from "../../kit/clients/built-server.ts";
import { run } from "../../kit/python/run.ts";
import { virtualEnvironment } from "../../kit/python/virtual-environment.ts";
import { startStreamCutter } from "./cutting-streams.ts";

const [scripted, compiled, own, mock] = await Promise.all([
  startBuiltDev(),
  startBuiltDev("basics", "graph.json"),
  startBuiltDev("transformers", "graph.json"),
  startBuiltMock("--transitions", "immediate"),
]);
afterAll(() => Promise.all([scripted, compiled, own, mock].map((server) => server[Symbol.asyncDispose]())));

const python = await virtualEnvironment("langgraph-sdk==0.4.14", "langgraph==1.2.24");
const skip = python.missing === undefined ? "" : ` (skipped: ${python.missing})`;

const hello = { messages: [{ role: "user", content: "hello" }] };
const channels = ["values", "updates", "messages", "tools", "lifecycle", "input", "tasks", "custom"] as const;
const reconnectDelayMs = () => 0;

async function all<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

describe.each(["sse", "websocket"] as const)("over %s, the client's stream of a thread", (transport) => {
  const streamOf = (url: string, assistantId: string, threadId?: string) => {
    const { threads } = new Client({ apiUrl: url, apiKey: null });
    const options = { assistantId, transport, reconnectDelayMs };
    const stream = threadId === undefined ? threads.stream(options) : threads.stream(threadId, options);
    onTestFinished(() => stream.close());
    return stream;
  };

  test.each([
    ["scripted", scripted.url, ["Echo: hello"]],
    ["compiled", compiled.url, ["Hi there", "sub!"]],
  ])("has the messages of a %s graph, token by token, and its last state", async (_, url, expected) => {
    const stream = streamOf(url, "chat");
    const messages = (async () => {
      const texts: string[] = [];
      for await (const message of stream.messages) texts.push((await all(message.text)).join(""));
      return texts;
    })();
    await stream.run.start({ input: hello });
    expect(await messages).toEqual(expected);
    const { messages: said } = (await stream.output) as { messages: { content: unknown }[] };
    expect(said.length).toBe(1 + expected.length);
    expect(await all(stream.values)).not.toEqual([]);
  });

  test.each([
    ["scripted", scripted.url, "tools"],
    ["compiled", compiled.url, "tools"],
  ])("has the calls of tools of a %s graph", async (_, url, graph) => {
    const stream = streamOf(url, graph);
    const calls = all(stream.toolCalls);
    await stream.run.start({ input: { messages: [{ role: "user", content: "Paris" }] } });
    // The client lists a call when it starts, and again when it has ended.
    const [call, again] = await calls;
    expect(again?.callId).toBe(call?.callId);
    expect(call).toMatchObject({ name: "weather", input: { city: "Paris" } });
    expect(JSON.stringify(await call?.output)).toContain("sunny in Paris");
  });

  test.each([
    ["scripted", scripted.url, "subgraph", { topic: "tea" }],
    ["compiled", compiled.url, "chat", hello],
  ])("finds the subgraphs of a %s graph", async (_, url, graph, input) => {
    const stream = streamOf(url, graph);
    const names: string[] = [];
    const found = (async () => {
      for await (const subgraph of stream.subgraphs) names.push(subgraph.name);
    })();
    await stream.run.start({ input });
    await found;
    expect(names).toContain("child");
    expect((await stream.agent.getTree()).tree).toMatchObject({ status: "completed", graph_name: graph });
  });

  test.each([
    ["scripted", scripted.url],
    ["compiled", compiled.url],
  ])("stops at an interrupt of a %s graph, and continues with the answer", async (_, url) => {
    const stream = streamOf(url, "approval");
    await stream.run.start({ input: { log: ["x"] } });
    await stream.output;
    expect(stream.interrupted).toBe(true);
    const [interrupt] = stream.interrupts;
    expect(interrupt?.payload).toEqual({ question: "approve?", log: ["x"] });
    const events = await stream.subscribe({ channels: ["values", "lifecycle"] });
    const { interruptId: interrupt_id = "", namespace = [] } = interrupt ?? {};
    await stream.input.respond({ namespace, interrupt_id, response: "yes", update: { log: ["between"] } });
    const states: unknown[] = [];
    for await (const { method, params } of events) {
      if (method === "values") states.push(params.data);
    }
    expect(states.at(-1)).toEqual({ log: ["x", "between", "asked", "done"], answer: "yes" });
    const { checkpoints } = await stream.state.listCheckpoints({});
    expect(checkpoints.length).toBeGreaterThan(3);
  });

  test("awaits a subscription before the run, and another run of the thread after it", async () => {
    const stream = streamOf(scripted.url, "events");
    const events = await stream.subscribe({ channels: [...channels] });
    for (const steps of [2, 3]) {
      await stream.run.start({ input: { steps } });
      const methods = (await all(events)).map(({ method }) => method);
      expect(methods.filter((method) => method === "custom")).toHaveLength(steps);
      expect(methods.at(-1)).toBe("lifecycle");
    }
  });

  test("forks from an earlier checkpoint", async () => {
    const stream = streamOf(compiled.url, "chat");
    const checkpoints = await stream.subscribe({ channels: ["checkpoints"] });
    await stream.run.start({ input: hello });
    const ids = (await all(checkpoints))
      .filter(({ params }) => params.namespace.length === 0)
      .map(({ params }) => (params.data as { id: string }).id);
    const updates = await stream.subscribe({ channels: ["updates"], namespaces: [[]], depth: 0 });
    await stream.run.start({ input: null, forkFrom: ids[1] as string });
    await all(updates);
    const { values } = await stream.state.get({ namespace: [] });
    expect(values.messages).toHaveLength(3);
  });

  test("has what a graph's own transformers send", async () => {
    const stream = streamOf(own.url, "counted");
    const extensions = stream.extensions as Record<string, AsyncIterable<unknown> & PromiseLike<unknown>>;
    const seen = all(extensions.seen as AsyncIterable<unknown>);
    const total = extensions.total;
    await stream.run.start({ input: {} });
    expect(await seen).toEqual(["one", "two"]);
    expect(await total).toBe(2);
  });

  test("loses and doubles nothing when its connection is cut again and again", async () => {
    await using cutter = await startStreamCutter(scripted.url, 3, 4);
    const stream = streamOf(cutter.url, "delay");
    const events = await stream.subscribe({ channels: ["custom", "lifecycle"] });
    await stream.run.start({ input: { ms: 900, steps: 30 } });
    const steps: unknown[] = [];
    for await (const { method, params } of events) {
      if (method === "custom") steps.push((params.data as { payload: { step: number } }).payload.step);
    }
    expect(steps).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect(cutter.cuts).toBe(3);
  });

  test("ends with the reason of a failure", async () => {
    const stream = streamOf(compiled.url, "fail");
    const lifecycle = await stream.subscribe({ channels: ["lifecycle"] });
    await stream.run.start({ input: {} });
    expect((await all(lifecycle)).at(-1)?.params.data).toMatchObject({ event: "failed", error: "kaboom" });
  });
});

test("what a command can't do is the client's ProtocolError, with its code", async () => {
  const { threads } = new Client({ apiUrl: scripted.url, apiKey: null });
  const stream = threads.stream({ assistantId: "nobody" });
  onTestFinished(() => stream.close());
  await expect(stream.run.start({ input: {} })).rejects.toMatchObject({
    name: "ProtocolError",
    code: "invalid_argument",
  });
  const message = { role: "user" as const, content: "hi" };
  await expect(stream.input.inject({ namespace: [], message })).rejects.toMatchObject({ code: "not_supported" });
});

test("a client doesn't come back to a deleted thread", async () => {
  const { threads } = new Client({ apiUrl: scripted.url, apiKey: null });
  const stream = threads.stream({ assistantId: "events", transport: "websocket", reconnectDelayMs });
  onTestFinished(() => stream.close());
  const failed = new Promise<Error>((resolve) => stream.onError(resolve));
  const events = await stream.subscribe({ channels: ["lifecycle"] });
  await stream.run.start({ input: { steps: 1 } });
  await all(events);
  await threads.delete(stream.threadId);
  expect(await failed).toMatchObject({ status: 404 });
});

test("the agent server of a deployment takes the key from the headers of the handshake", async () => {
  const headers = { "x-api-key": "key", "content-type": "application/json" };
  const seed = { deployments: [{ name: "a", source: "internal_source" }] };
  const seeded = await fetch(`${mock.url}/_mock/seed`, { method: "POST", headers, body: JSON.stringify(seed) });
  const { deployments } = (await seeded.json()) as { deployments: { id: string }[] };
  const apiUrl = `${mock.url}/agents/${deployments[0]?.id}`;
  const webSocketFactory = (url: string) => new WebSocket(url, { headers }) as never;
  for (const transport of ["sse", "websocket"] as const) {
    const isSocket = transport === "websocket";
    const { threads } = new Client({ apiUrl, apiKey: isSocket ? null : "key" });
    const stream = threads.stream({ assistantId: "subgraph", transport, ...(isSocket ? { webSocketFactory } : {}) });
    onTestFinished(() => stream.close());
    await stream.run.start({ input: { topic: "tea" } });
    expect(await stream.output).toMatchObject({ summary: "2 findings" });
  }
});

test.skipIf(skip)(`the Python client has the same over both transports${skip}`, async () => {
  if (python.missing !== undefined) throw new Error(python.missing);
  const script = fileURLToPath(new URL("event_streaming.py", import.meta.url));
  expect(await run(python.command("python"), [script, scripted.url])).toEqual({ code: 0, output: "done\n" });
});

test("the example of the docs runs", async () => {
  const page = await readFile(join(checkout, "docs/guides/agent-server.md"), "utf8");
  const source = /```ts\n(import \{ Client \} from "@langchain[\s\S]*?)```/.exec(page)?.[1] as string;
  const folder = await mkdtemp(join(tmpdir(), "documented-events-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await symlink(join(checkout, "node_modules"), join(folder, "node_modules"));
  const file = join(folder, "example.mjs");
  const printing = source.replace("process.stdout.write(token)", "tokens.push(token)");
  await writeFile(
    file,
    `const tokens = [];\n${printing.replace("http://127.0.0.1:2024", scripted.url)}\nexport { state, tokens };\n`,
  );
  const { state, tokens } = await import(pathToFileURL(file).href);
  expect(tokens.join("")).toBe("Echo: Hello");
  expect(state.messages).toHaveLength(2);
});

test.each([
  ["scripted", scripted.url, "subgraph", { topic: "tea" }, { summary: "2 findings" }],
  ["compiled", compiled.url, "trivial", { value: "a" }, { value: "a!" }],
])("a remote %s graph streams events of version 3", async (_, url, graphId, input, output) => {
  const graph = new RemoteGraph({ graphId, url, apiKey: "key" });
  const remoteRun = await graph.streamEvents(input, { version: "v3" });
  const methods = (await all(remoteRun as AsyncIterable<{ method: string }>)).map(({ method }) => method);
  expect(methods).toEqual(expect.arrayContaining(["lifecycle", "checkpoints", "values", "tasks", "updates"]));
  expect(await (remoteRun as { output: Promise<unknown> }).output).toMatchObject(output);
});
