import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { McpServer } from "../kit/mcp/mcp-server.ts";
import { ProtocolError } from "../kit/mcp/protocol-error.ts";

/** An MCP server for one request of a user, with one tool, `whoami`. */
export function createWhoamiServer(user: string): McpServer {
  const server = new McpServer("graphdeploy-mock");
  const tool = {
    name: "whoami",
    description: "The user of the access token.",
    inputSchema: { type: "object", properties: {} },
  };
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [tool] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name } }) => {
    if (name !== tool.name) throw new ProtocolError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
    return { content: [{ type: "text", text: user }] };
  });
  return server;
}
