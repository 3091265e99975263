import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, type Progress } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { checkout } from "../../../scripts/run-command.ts";
import { until } from "../../kit/agent-server/agent.ts";
import { startBuiltDev, startBuiltMock } from "../../kit/clients/built-server.ts";

const [scripted, compiled, guarded, mock] = await Promise.all([
  startBuiltDev(),
  startBuiltDev("development"),
  startBuiltDev("guarded", "graph.json"),
  startBuiltMock("--transitions", "immediate"),
]);
afterAll(() => Promise.all([scripted, compiled, guarded, mock].map((server) => server[Symbol.asyncDispose]())));

async function connect(url: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

async function runningOn(url: string): Promise<number> {
  const { queue } = (await (await fetch(`${url}/metrics?format=json`)).json()) as { queue: { num_running: number } };
  return queue.num_running;
}

test("the client negotiates a version, pings, and lists the tools", async () => {
  const client = await connect(scripted.url);
  expect(client.getServerVersion()).toMatchObject({ name: "graphdeploy" });
  expect(client.getServerCapabilities()).toEqual({ tools: {} });
  await client.ping();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["agent", "approval", "delay"]));
});

test("the tools of compiled graphs have the schemas of their inputs, and run in the project's worker", async () => {
  const client = await connect(compiled.url);
  const { tools } = await client.listTools();
  const names = ["agent", "named", "tuned", "review", "forecast", "slow", "failing"];
  expect(tools.map(({ name }) => name)).toEqual(names);
  expect(Object.keys(tools.find(({ name }) => name === "slow")?.inputSchema.properties ?? {})).toEqual([
    "ms",
    "waited",
  ]);
  const messages = [{ role: "user", content: "hello" }];
  const { structuredContent } = await client.callTool({ name: "agent", arguments: { messages } });
  const said = (structuredContent as { messages: { content: string }[] }).messages.map(({ content }) => content);
  expect(said).toEqual(["hello", "look it up", "looked up: look it up", "end of talk"]);
});

test("the steps of a run are progress", async () => {
  const client = await connect(compiled.url);
  const progress: Progress[] = [];
  const messages = [{ role: "user", content: "hello" }];
  const onprogress = (one: Progress) => progress.push(one);
  await client.callTool({ name: "agent", arguments: { messages } }, undefined, { onprogress });
  expect(progress).toEqual([
    { progress: 1, message: "model" },
    { progress: 2, message: "look" },
    { progress: 3, message: "model" },
  ]);
});

test("a call that the client cancels, or leaves by closing, ends its run", async () => {
  for (const leave of ["cancel", "close"]) {
    const client = await connect(compiled.url);
    const cancelling = new AbortController();
    const call = { name: "slow", arguments: { ms: 600_000 } };
    const called = client.callTool(call, undefined, { signal: cancelling.signal, timeout: 600_000 });
    const outcome = expect(called).rejects.toThrow();
    await until(async () => (await runningOn(compiled.url)) === 1);
    if (leave === "cancel") cancelling.abort();
    else await client.close();
    await outcome;
    await until(async () => (await runningOn(compiled.url)) === 0);
  }
});

test("a failed run is a result, and what the protocol refuses is an error", async () => {
  const client = await connect(compiled.url);
  expect(await client.callTool({ name: "failing" })).toEqual({
    content: [{ type: "text", text: "OutOfPaper: The tray is empty." }],
    isError: true,
  });
  await expect(client.callTool({ name: "nobody" })).rejects.toMatchObject({ code: ErrorCode.InvalidParams });
  await expect(client.listTools({ cursor: "x" })).rejects.toMatchObject({ code: ErrorCode.InvalidParams });
  await expect(client.listPrompts()).rejects.toThrow();
});

test("a project's handlers authenticate the client, and its runs are the user's", async () => {
  await expect(connect(guarded.url)).rejects.toThrow("Unknown token");
  const client = await connect(guarded.url, { authorization: "Bearer ann" });
  const { structuredContent } = await client.callTool({ name: "who" });
  expect(structuredContent).toMatchObject({ seen: { graph_auth_user_id: "ann" } });
});

test("a deployment of the mock server is reached with its workspace's key", async () => {
  const headers = { "x-api-key": "key", "content-type": "application/json" };
  const seed = { deployments: [{ name: "a", source: "internal_source" }] };
  const seeded = await fetch(`${mock.url}/_mock/seed`, { method: "POST", headers, body: JSON.stringify(seed) });
  const { deployments } = (await seeded.json()) as { deployments: { id: string }[] };
  const url = `${mock.url}/agents/${deployments[0]?.id}`;
  const client = await connect(url, { "x-api-key": "key" });
  const { structuredContent } = await client.callTool({ name: "subgraph", arguments: { topic: "tea" } });
  expect(structuredContent).toMatchObject({ topic: "tea" });
  await expect(connect(url)).rejects.toThrow();
});

test("the example of the docs runs", async () => {
  const page = await readFile(join(checkout, "docs/guides/agent-server.md"), "utf8");
  const source = /```ts\n(import \{ Client \} from "@modelcontextprotocol[\s\S]*?)```/.exec(page)?.[1] as string;
  const folder = await mkdtemp(join(tmpdir(), "documented-mcp-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await symlink(join(checkout, "node_modules"), join(folder, "node_modules"));
  const file = join(folder, "example.mjs");
  await writeFile(file, `${source.replace("http://127.0.0.1:2024", scripted.url)}\nexport { content, tools };\n`);
  const { content, tools } = await import(pathToFileURL(file).href);
  expect(tools.length).toBeGreaterThan(5);
  expect(JSON.parse(content[0].text)).toMatchObject({ topic: "tea" });
});
