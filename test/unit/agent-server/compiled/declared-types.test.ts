import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { DeclaredTypes } from "../../../../mock-server/worker/host/declared-types.ts";
import { startProject as start } from "../../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../../mock-server/worker/load/graph-config.ts";
import { startAgentOf, startProject } from "../../../kit/agent-server/compiled/project.ts";
import { mcpOf } from "../../../kit/agent-server/mcp.ts";
import { copyOfProject } from "../../../kit/agent-server/projects/project-copy.ts";

const typed = await startProject("typed");
afterAll(() => typed.close());

const schemasOf = async (graph: string) => {
  await using agent = await startAgentOf(typed);
  return (await agent.call("GET", `/assistants/${graph}/schemas`)).body;
};
const message = {
  type: "object",
  properties: { type: { type: "string" }, content: {}, id: { type: "string" } },
  required: ["type", "content"],
};
const address = {
  type: "object",
  description: "A place that can be delivered to.",
  properties: {
    street: { type: "string", description: "With the number of the house." },
    postcode: { type: "string" },
  },
  required: ["street"],
};

test("the schemas of a state have the types that TypeScript declares", async () => {
  const { state_schema: state, input_schema: input } = await schemasOf("kinds");
  const shape = (kind: string, side: string) => ({
    type: "object",
    properties: { kind: { type: "string", const: kind }, [side]: { type: "number" } },
    required: ["kind", side],
  });
  expect(state.properties).toEqual({
    text: { type: "string" },
    color: { type: "string", enum: ["red", "green"] },
    amount: { anyOf: [{ type: "null" }, { type: "number" }] },
    flag: { type: "boolean" },
    many: { type: "array", items: { type: "string" } },
    pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 1, maxItems: 2 },
    atLeastOne: { type: "array", prefixItems: [{ type: "string" }], minItems: 1, items: { type: "number" } },
    bothEnds: {
      type: "array",
      prefixItems: [{ type: "number" }],
      minItems: 2,
      items: { anyOf: [{ type: "string" }, { type: "boolean" }] },
    },
    byName: { type: "object", additionalProperties: address },
    named: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
    address: {
      type: "object",
      properties: { ...address.properties, country: { type: "string" } },
      required: ["country"],
    },
    level: { type: "number", enum: [1, 2] },
    at: { type: "string", format: "date-time" },
    site: { type: "string" },
    shape: { anyOf: [shape("circle", "radius"), shape("square", "side")] },
    tree: { $ref: "#/$defs/Tree" },
    last: message,
    user: { type: "string" },
    code: { type: "string" },
    account: {
      type: "object",
      properties: { owner: { type: "string" }, balance: { type: "number" } },
      required: ["owner", "balance"],
    },
    entries: { type: "object" },
    anything: {},
    callback: {},
    total: { type: "number" },
    log: { type: "array", items: { type: "string" } },
  });
  expect(state.$defs).toEqual({
    Tree: {
      type: "object",
      properties: { label: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } },
      required: ["label", "children"],
    },
  });
  expect(state.required).toEqual(
    Object.keys(state.properties).filter((name) => !["flag", "anything", "callback"].includes(name)),
  );
  expect(input.properties).toMatchObject({ color: state.properties.color, log: { type: "string" } });
  expect(input).not.toHaveProperty("required");
});

test("a graph that a function makes has the types of its input, its output and its context", async () => {
  expect(await schemasOf("order")).toMatchObject({
    input_schema: { properties: { item: { type: "string" }, to: address } },
    output_schema: { properties: { status: { type: "string", enum: ["sent", "refused"] } }, required: ["status"] },
    state_schema: { properties: { item: {}, to: {}, status: {}, attempts: { type: "number" } } },
    context_schema: {
      properties: { currency: { type: "string", enum: ["EUR", "USD"] }, limit: { type: "number" } },
      required: ["currency", "limit"],
    },
  });
});

test("JavaScript has the types of its JSDoc", async () => {
  expect((await schemasOf("notes")).input_schema.properties).toEqual({
    list: {
      type: "array",
      items: {
        type: "object",
        properties: { text: { type: "string" }, stars: { type: "number", enum: [1, 2, 3] } },
        required: ["text"],
      },
    },
  });
});

test("fields that are declared with schemas keep them", async () => {
  const { state_schema: state } = await schemasOf("mixed");
  expect(state.properties).toMatchObject({
    topic: { type: "string", maxLength: 80 },
    session: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  });
  expect(state.required).toEqual(["topic", "session"]);
  expect((await schemasOf("chat")).input_schema.properties).toEqual({ messages: { type: "array", items: message } });
});

test("subgraphs have the types of the graphs that are added as nodes", async () => {
  await using agent = await startAgentOf(typed);
  const { body } = await agent.call("GET", "/assistants/parent/subgraphs?recurse=true");
  const topic = { type: "string" };
  expect(body).toMatchObject({
    child: { state_schema: { properties: { topic, mood: { type: "string", enum: ["calm", "brisk"] } } } },
    "child|deepest": { state_schema: { properties: { topic, depth: { type: "number", enum: [1, 2] } } } },
    caller: { input_schema: { properties: { question: { type: "string" }, score: { type: "number" } } } },
  });
});

test("where a subgraph's types would be a guess, its schemas have the names", async () => {
  await using agent = await startAgentOf(typed);
  for (const graph of ["first", "second"]) {
    const { body } = await agent.call("GET", `/assistants/${graph}/subgraphs`);
    expect(body.twin.state_schema.properties).toEqual({ topic: {}, size: {} });
  }
});

test("tools have the types of their graphs' input", async () => {
  await using agent = await startAgentOf(typed);
  const { tools } = (await mcpOf(agent.call).request("tools/list")).result;
  const { input_schema: order } = await schemasOf("order");
  expect(tools.find(({ name }: { name: string }) => name === "order").inputSchema).toEqual(order);
});

test("errors in types leave the names of the fields, and one warning each says why", async () => {
  const lines: string[] = [];
  const onLog = ({ text, level }: { text: string; level?: string }) => lines.push(`${level} ${text}`);
  await using project = await startProject("typed", { config: "misdeclared.json", onLog });
  await using agent = await startAgentOf(project);
  await mcpOf(agent.call).request("tools/list");
  const [misdeclared, partly] = await Promise.all(
    ["misdeclared", "partly"].map(async (graph) => (await agent.call("GET", `/assistants/${graph}/schemas`)).body),
  );
  expect(misdeclared.input_schema.properties).toEqual({ topic: {} });
  expect(misdeclared.context_schema.properties).toEqual({ tone: {} });
  expect(partly.state_schema.properties).toEqual({ known: { type: "string" }, lost: {} });
  expect(lines).toEqual([
    expect.stringMatching(/^WARNING The schemas of graph "misdeclared" lack types: misdeclared\.ts:2: .*no-such-file/),
    expect.stringMatching(/^WARNING The schemas of graph "partly" lack types: misdeclared\.ts:2: .*no-such-file/),
  ]);
});

test("types are read again after a source has changed that the project doesn't load", async () => {
  await using copy = await copyOfProject("typed");
  await using project = await start(await readGraphConfig(join(copy.folder, "graph.json")));
  await using agent = await startAgentOf(project);
  const read = async () => (await agent.call("GET", "/assistants/kinds/schemas")).body.state_schema.properties;
  const before = await read();
  expect(before.tree).toEqual({ $ref: "#/$defs/Tree" });
  const changed = "export type Address = string;\nexport type Tree = { label: number };\nexport type Level = 7;\n";
  await writeFile(join(copy.folder, "shapes.ts"), changed);
  expect(await read()).toMatchObject({
    tree: { type: "object", properties: { label: { type: "number" } }, required: ["label"] },
    level: { type: "number", const: 7 },
  });
});

/** The warnings of a project with other packages than the repository's, and a state's fields. */
async function withPackages(prepare: (packages: string) => Promise<unknown>) {
  await using copy = await copyOfProject("typed");
  const packages = join(copy.folder, "node_modules");
  await rm(packages);
  await mkdir(packages);
  const ours = (name: string) => fileURLToPath(new URL(`../../../../node_modules/${name}`, import.meta.url));
  for (const name of ["@langchain", "zod"]) await symlink(ours(name), join(packages, name), "dir");
  await prepare(packages);
  const lines: string[] = [];
  const onLog = ({ text }: { text: string }) => lines.push(text);
  await using project = await start(await readGraphConfig(join(copy.folder, "graph.json")), { onLog });
  await using agent = await startAgentOf(project);
  const read = async () => (await agent.call("GET", "/assistants/order/schemas")).body.output_schema.properties;
  expect(await read()).toEqual(await read());
  return { lines: lines.map((line) => line.replaceAll(copy.folder, "<folder>")), fields: await read() };
}

test("without TypeScript, schemas have the names of the fields, and one warning says what to install", async () => {
  expect(await withPackages(async () => undefined)).toEqual({
    lines: [
      "The schemas have the names of fields without their types: typescript isn't installed in <folder>: run npm install --save-dev typescript@6 there.",
    ],
    fields: { status: {} },
  });
});

/** Installs another package as TypeScript. */
const typescriptOf = (version: string, code: string) => async (packages: string) => {
  await mkdir(join(packages, "typescript"));
  await writeFile(join(packages, "typescript/package.json"), JSON.stringify({ name: "typescript", version }));
  await writeFile(join(packages, "typescript/index.js"), code);
};

test("a TypeScript without an API is named in the warning", async () => {
  const { lines, fields } = await withPackages(typescriptOf("7.0.2", 'exports.version = "7.0.2";'));
  expect(lines).toEqual([
    "The schemas have the names of fields without their types: typescript 7.0.2 has no API that reads types: install typescript@6 in <folder>.",
  ]);
  expect(fields).toEqual({ status: {} });
});

test.for([
  ["throws", 'throw new Error("out of order");', "out of order"],
  ["throws no error", "throw null;", "null"],
  ["exits", "process.exit(3);", "the compiler's worker ended with code 3."],
  [
    "sends messages of its own",
    'require("node:worker_threads").parentPort.postMessage({ graphs: 1 });',
    "what the compiler's worker sent aren't types.",
  ],
])("a TypeScript that %s costs the types and nothing else", async ([, code, reason]) => {
  const { lines, fields } = await withPackages(typescriptOf("6.0.0", `exports.createProgram = () => {}; ${code}`));
  expect(lines).toEqual([`The schemas have the names of fields without their types: ${reason}`]);
  expect(fields).toEqual({ status: {} });
});

test("closing stops the reading, and what waits for it gets the names", async () => {
  const lines: unknown[] = [];
  const types = new DeclaredTypes(typed.project, (line) => lines.push(line));
  const names = { type: "object", properties: { item: {} } };
  const schemas = {
    input_schema: names,
    output_schema: names,
    state_schema: names,
    config_schema: names,
    context_schema: names,
  };
  const completing = types.complete("order", schemas);
  types.close();
  expect(await completing).toEqual(schemas);
  expect(lines).toEqual([]);
});
