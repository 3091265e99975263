import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { builtInGraphs } from "../../../../mock-server/graphs/built-in-graphs.ts";
import { readGraphs } from "../../../../mock-server/graphs/declared/read-graphs.ts";
import { startAgent, thread } from "../../../kit/agent-server/agent.ts";

const example = fileURLToPath(new URL("../../../fixtures/graphs.yaml", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "graphs-"));
afterAll(() => rm(folder, { recursive: true }));

async function fileOf(text: string, name = "graphs.yaml"): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

async function startDeclared() {
  return startAgent({ graphs: await readGraphs(example, builtInGraphs) });
}

const say = (text: string) => ({ messages: [{ role: "user", content: text }] });

test("a declared reply is streamed in tokens, with the last message filled in", async () => {
  await using agent = await startDeclared();
  const events = await agent.events("POST", "/runs/stream", {
    assistant_id: "support",
    input: say("good day"),
    stream_mode: "messages-tuple",
  });
  const tokens = events.filter(({ event }) => event === "messages").map(({ data }) => data[0].content);
  expect(tokens).toEqual(["You ", "said: ", "good ", "day"]);
});

test("a declared branch is taken when the last message matches, and a tool answers as declared", async () => {
  await using agent = await startDeclared();
  const events = await agent.events("POST", "/runs/stream", {
    assistant_id: "support",
    input: say("Where is Order 7?"),
    stream_mode: ["custom", "tools", "values"],
  });
  expect(events.find(({ event }) => event === "custom")?.data).toEqual({ looking_for: "Where is Order 7?" });
  expect(events.filter(({ event }) => event === "tools").map(({ data }) => data.event)).toEqual([
    "on_tool_start",
    "on_tool_end",
  ]);
  const { messages } = events.at(-1)?.data ?? {};
  expect(messages.map(({ type, content }: { type: string; content: string }) => [type, content])).toEqual([
    ["human", "Where is Order 7?"],
    ["ai", ""],
    ["tool", "shipped"],
    ["ai", "You said: shipped"],
  ]);
});

test("a declared interrupt stops the run, and its answer selects the next node", async () => {
  await using agent = await startDeclared();
  const wait = (body: object) =>
    agent.call("POST", `/threads/${thread(1)}/runs/wait`, {
      assistant_id: "support",
      if_not_exists: "create",
      ...body,
    });
  const interrupted = await wait({ input: say("A refund, please") });
  expect(interrupted.body.__interrupt__[0].value).toEqual({ question: "Refund?", of: "A refund, please" });
  const paid = await wait({ command: { resume: true } });
  expect(paid.body).toMatchObject({ approved: true, log: ["answered true"] });
  expect(paid.body.messages.at(-1).content).toBe("Paid back.");
});

test("a declared failure ends the run with its name and message", async () => {
  await using agent = await startDeclared();
  const path = `/threads/${thread(1)}/runs/wait`;
  const body = { assistant_id: "support", if_not_exists: "create" };
  await agent.call("POST", path, { ...body, input: say("refund") });
  const refused = await agent.call("POST", path, { ...body, command: { resume: "no" } });
  expect(refused.body.__error__).toEqual({ error: "RefundError", message: "Not approved: no" });
});

test("a declared graph is drawn with its branches and the graphs that it runs", async () => {
  await using agent = await startDeclared();
  const { body } = await agent.call("GET", "/assistants/support/graph");
  expect(body.edges).toContainEqual(
    expect.objectContaining({ source: "triage", target: "look_up", conditional: true }),
  );
  const subgraphs = await agent.call("GET", "/assistants/support/subgraphs");
  expect(Object.keys(subgraphs.body)).toEqual(["pay"]);
});

test("problems in a graphs file are reported together, each with its line", async () => {
  const file = await fileOf(`graphs:
  one:
    state: { seen: last }
    nodes:
      first:
        steps:
          - reply: "{{nobody}}"
          - interrupt: ok?
            into: unseen
        next: nowhere
      second:
        graph: three
`);
  await expect(readGraphs(file, builtInGraphs)).rejects.toThrow(
    [
      `${file}:7: graphs.one.nodes.first.steps.0: has {{nobody}}, which doesn't exist: there are last, answer, messages, seen`,
      `${file}:9: graphs.one.nodes.first.steps.1.into: names the field "unseen", which isn't in the state: there are messages, seen`,
      `${file}:10: graphs.one.nodes.first.next: names the node "nowhere", which doesn't exist: there are first, second and end`,
      `${file}:12: graphs.one.nodes.second.graph: names the graph "three", which doesn't exist: there are one, agent, chat,`,
    ].join("\n"),
  );
});

test.each([
  ["two actions in a step", "steps: [{ reply: a, fail: b }]", "4: graphs.a.nodes.n.steps.0: must have one of"],
  ["an unknown key", "steps: [{ say: a }]", '4: graphs.a.nodes.n.steps.0: Unrecognized key: "say"'],
  [
    "an option of another action",
    "steps: [{ fail: a, into: b }]",
    "4: graphs.a.nodes.n.steps.0.into: goes with interrupt only",
  ],
  ["steps beside a graph", "{ steps: [{ reply: a }], graph: chat }", "4: graphs.a.nodes.n: must have steps or a graph"],
  [
    "a condition without a test",
    "branches: [{ when: {}, to: n }]",
    "4: graphs.a.nodes.n.branches.0.when: must have at least one",
  ],
  ["a broken expression", 'branches: [{ when: { matches: "(" }, to: n }]', "must be a regular expression"],
  ["a graph that runs itself", "graph: a", '4: graphs.a.nodes.n.graph: names "a", so that "a" would run itself'],
  ["no steps at all", "steps: []", "4: graphs.a.nodes.n.steps: Too small"],
])("a graphs file with %s is refused with its line", async (_, node, message) => {
  const body = node.startsWith("{") ? node : `{ ${node} }`;
  const file = await fileOf(`graphs:\n  a:\n    nodes:\n      n: ${body}\n`);
  await expect(readGraphs(file, builtInGraphs)).rejects.toThrow(message);
});

test("a graphs file that is missing or isn't YAML is refused", async () => {
  await expect(readGraphs(join(folder, "none.yaml"), [])).rejects.toThrow("none.yaml can't be read.");
  await expect(readGraphs(await fileOf("graphs: [\n"), [])).rejects.toThrow(
    /graphs\.yaml:1 opens a quote or bracket that is never closed/,
  );
  await expect(readGraphs(await fileOf("graphs: {}\nmore: 1\n"), [])).rejects.toThrow('Unrecognized key: "more"');
});

test("two graphs that run each other are refused", async () => {
  const file = await fileOf("graphs:\n  a: { nodes: { n: { graph: b } } }\n  b: { nodes: { n: { graph: a } } }\n");
  await expect(readGraphs(file, [])).rejects.toThrow('graphs.a.nodes.n.graph: names "b", so that "a" would run itself');
});

test("a declared graph may run a built-in one", async () => {
  const file = await fileOf("graphs: { mine: { nodes: { inner: { graph: chat } } } }\n");
  await using agent = await startAgent({ graphs: await readGraphs(file, builtInGraphs) });
  const { body } = await agent.call("POST", "/runs/wait", { assistant_id: "mine", input: say("hello") });
  expect(body.messages.at(-1).content).toBe("Echo: hello");
});

test("a generator that a module exports is a graph, and so is a declaration in code", async () => {
  const file = await fileOf(
    `export async function* greeter(state, node) {
       yield { custom: { seen: state.messages.length } };
       for (const token of ["Good ", "day"]) yield { token };
     }
     export const counter = {
       id: "count",
       channels: { n: { kind: "last", initial: 0, schema: {} } },
       nodes: { add: ({ n }) => ({ n: n + 1 }) },
       edges: { __start__: "add" },
     };`,
    "graphs.mjs",
  );
  await using agent = await startAgent({ graphs: await readGraphs(file, []) });
  const events = await agent.events("POST", "/runs/stream", {
    assistant_id: "greeter",
    input: say("hello"),
    stream_mode: ["custom", "messages-tuple"],
  });
  expect(events.map(({ event, data }) => (event === "messages" ? data[0].content : data))).toEqual([
    expect.objectContaining({ attempt: 1 }),
    { seen: 1 },
    "Good ",
    "day",
  ]);
  const { body: state } = await agent.call("POST", "/runs/wait", { assistant_id: "greeter", input: say("hello") });
  expect(state.messages.at(-1)).toMatchObject({ type: "ai", content: "Good day" });
  const counted = await agent.call("POST", "/runs/wait", { assistant_id: "count", input: { n: 4 } });
  expect(counted.body).toEqual({ n: 5 });
});

test("a default export is a graph named after its file", async () => {
  const file = await fileOf("export default () => ({ messages: 'hi' });", "hello.mjs");
  expect((await readGraphs(file, [])).map(({ id }) => id)).toEqual(["hello"]);
});

test.each([
  ["throws", "throw new TypeError('no');", "doesn't load: TypeError: no"],
  ["exports nothing", "export {};", "exports no graphs"],
  ["exports something else", "export const a = 1;", "exports a, which isn't a graph"],
  [
    "has an edge to nowhere",
    "export const a = { id: 'a', channels: {}, nodes: {}, edges: { __start__: 'b' } };",
    `exports a, which can't run: Graph "a" has no node "b".`,
  ],
])("a module that %s is refused", async (name, text, message) => {
  const file = await fileOf(text, `${name.replaceAll(" ", "-")}.mjs`);
  await expect(readGraphs(file, [])).rejects.toThrow(message);
});
