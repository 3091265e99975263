import type { Api, ApiResponse } from "../mock-server/api.ts";

const acceptsBoth = { accept: "application/json, text/event-stream" };

/** A client of MCP that sends what it is given; a value is sent as JSON. */
export function mcpOf(call: Api, path = "/mcp/") {
  const send = (body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    call("POST", path, body, { ...acceptsBoth, ...headers });
  return {
    send,
    /** The response to a request with id 1. */
    async request(method: string, params?: object, headers?: Record<string, string>) {
      const { body } = await send({ jsonrpc: "2.0", id: 1, method, ...(params ? { params } : {}) }, headers);
      return body;
    },
  };
}
