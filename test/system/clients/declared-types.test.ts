import { Client } from "@langchain/langgraph-sdk";
import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, test } from "vitest";
import { startBuiltDev } from "../../kit/clients/built-server.ts";

test("official clients get the types that a state is declared with", async () => {
  await using server = await startBuiltDev("typed", "graph.json");
  const { assistants } = new Client({ apiUrl: server.url });
  const { output_schema: output } = await assistants.getSchemas("order");
  expect(output?.properties).toEqual({ status: { type: "string", enum: ["sent", "refused"] } });
  const { child } = await assistants.getSubgraphs("parent");
  expect(child).toMatchObject({ state_schema: { properties: { mood: { enum: ["calm", "brisk"] } } } });
  const client = new McpClient({ name: "test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
  const { tools } = await client.listTools();
  await client.close();
  const { inputSchema } = tools.find(({ name }) => name === "kinds") ?? {};
  expect(inputSchema).toMatchObject({
    properties: { tree: { $ref: "#/$defs/Tree" } },
    $defs: { Tree: { type: "object" } },
  });
});
