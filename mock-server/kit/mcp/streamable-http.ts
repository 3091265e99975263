import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  DEFAULT_NEGOTIATED_PROTOCOL_VERSION,
  ErrorCode,
  JSONRPCMessageSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { HttpResponse } from "../http/http-response.ts";
import { parseJson, TooDeepError } from "../http/json.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { McpServer } from "./mcp-server.ts";

/** The first version of the protocol without batches. */
const firstWithoutBatches = "2025-06-18";

/**
 * Responds to a POST as an MCP server (streamable HTTP without sessions), which serves this one request. The response
 * is JSON, or a stream if a message requests notifications of progress.
 * @throws {HttpError} 413 and 400 for a body over the limit or not UTF-8; {ClientDisconnected}.
 */
export async function respondAsMcpServer(context: RequestContext, server: McpServer): Promise<HttpResponse> {
  let input: unknown;
  try {
    input = parseJson(await context.readText());
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refusal(ErrorCode.ParseError, error instanceof TooDeepError ? error.message : "The body isn't JSON.");
  }
  const version = context.header("mcp-protocol-version");
  const messages = Array.isArray(input) ? input : [input];
  if (messages === input && (version ?? DEFAULT_NEGOTIATED_PROTOCOL_VERSION) >= firstWithoutBatches) {
    return refusal(ErrorCode.InvalidRequest, `Version ${version} of the protocol has no batches.`);
  }
  if (messages.length === 0 || !messages.every((message) => JSONRPCMessageSchema.safeParse(message).success)) {
    return refusal(ErrorCode.InvalidRequest, "The body isn't a message of JSON-RPC 2.0.");
  }
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !messages.some(requestsProgress),
  });
  await server.connect(transport);
  // The service accepts JSON under any content type, which the transport doesn't.
  const headers = new Headers({ "content-type": "application/json", accept: context.header("accept") ?? "" });
  if (version !== undefined) headers.set("mcp-protocol-version", version);
  const request = new Request("http://localhost/mcp/", { method: "POST", headers });
  return plain(await transport.handleRequest(request, { parsedBody: input }));
}

function requestsProgress(message: unknown): boolean {
  const { params } = (message ?? {}) as { params?: { _meta?: { progressToken?: unknown } | null } | null };
  return params?._meta?.progressToken !== undefined;
}

/** The transport's response. */
async function plain(response: Response): Promise<HttpResponse> {
  const { connection: _, ...headers } = Object.fromEntries(response.headers);
  // The service's description has 400 for an unacceptable Accept header.
  const status = response.status === 406 ? 400 : response.status;
  if (response.body === null) return { status };
  const isStream = headers["content-type"] === "text/event-stream";
  return { status, headers, content: isStream ? response.body : await response.text() };
}

/** A response to a body that isn't a message, and so has no id. */
function refusal(code: ErrorCode, message: string): HttpResponse {
  return { status: 400, body: { jsonrpc: "2.0", error: { code, message }, id: null } };
}
