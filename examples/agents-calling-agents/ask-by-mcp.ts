import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** Calls an agent as a tool of the Model Context Protocol, and returns its last message. */
export async function askByMcp(server: string, agent: string, text: string): Promise<string> {
  const client = new Client({ name: "desk", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server}/mcp`)));
  try {
    const input = { messages: [{ type: "human", content: text }] };
    const { structuredContent } = await client.callTool({ name: agent, arguments: input });
    const { messages } = structuredContent as { messages: { content: string }[] };
    return messages.at(-1)?.content ?? "";
  } finally {
    await client.close();
  }
}
