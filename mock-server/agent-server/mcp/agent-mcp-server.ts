import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  CancelledNotificationSchema,
  ErrorCode,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { McpServer } from "../../kit/mcp/mcp-server.ts";
import { ProtocolError } from "../../kit/mcp/protocol-error.ts";
import { innerFailure } from "../inner-failure.ts";
import type { ProtocolHost } from "../protocol-host.ts";
import type { RunResult } from "../runs/live-run.ts";
import { startRun } from "../runs/run-access.ts";
import { type RunStart, runCreateStateless } from "../runs/run-schemas.ts";
import { resultBody } from "../runs/run-view.ts";
import { AssistantTools } from "./assistant-tools.ts";

/** Maximum length of a result, in characters: it is sent as text and as structured content. */
const maxResultLength = 64 * 1024 * 1024;

const start = { access: startRun, body: { schema: runCreateStateless, required: true } };

/** Called with the names of the nodes of each step. */
type OnStep = (nodes: string) => void;

/** The MCP server for one request to an agent server. It has no sessions, like the service's. */
export function createAgentMcpServer(host: ProtocolHost): McpServer {
  const { agent, context, user } = host;
  const caller = user?.identity ?? null;
  const tools = new AssistantTools(host);
  const server = new McpServer("graphdeploy");
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    withProtocolErrors(host, () => tools.list(params?.cursor)),
  );
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { requestId, sendNotification }) => {
    const progressToken = params._meta?.progressToken;
    let progress = 0;
    const onStep: OnStep = (message) => {
      const notification = { progressToken: progressToken as string | number, progress: ++progress, message };
      // Notifications that a disconnected client doesn't get are of no use to anybody.
      sendNotification({ method: "notifications/progress", params: notification }).catch(() => undefined);
    };
    return withProtocolErrors(host, () =>
      // Nobody could get the result after the connection closes, so that cancels the call as well.
      agent.toolCalls.run(caller, requestId, context.signal, (signal) =>
        callTool(host, tools, params, signal, progressToken === undefined ? undefined : onStep),
      ),
    );
  });
  server.setNotificationHandler(CancelledNotificationSchema, ({ params: { requestId } }) => {
    if (requestId !== undefined) agent.toolCalls.cancel(caller, requestId);
  });
  return server;
}

/** Calls a tool: a stateless run of its assistant, with the rights of the caller. */
async function callTool(
  { context, permit }: ProtocolHost,
  tools: AssistantTools,
  { name, arguments: input = {} }: CallToolRequest["params"],
  signal: AbortSignal,
  onStep: OnStep | undefined,
): Promise<CallToolResult> {
  const { assistant_id } = await tools.find(name);
  const body = runCreateStateless.parse({
    assistant_id,
    input,
    on_disconnect: "cancel",
    ...(onStep ? { stream_mode: ["updates"] } : {}),
  });
  const { services, request } = await permit(start, { body });
  const onEvent = (event: string, data: string) => {
    if (event === "updates") onStep?.(Object.keys(JSON.parse(data)).join(", "));
  };
  return toolResult(
    await services.runs.complete(request.body as RunStart, { headers: context.headers, signal, onEvent }),
  );
}

/**
 * The result of a run as that of a tool. Tools declare no schema of their results: a graph's own is enforced by nobody,
 * and clients refuse results that don't match.
 */
function toolResult(result: RunResult): CallToolResult {
  if (result.kind === "cancelled") return failed("The run was cancelled.");
  if (result.kind === "error") return failed(`${result.error.error}: ${result.error.message}`);
  const structuredContent = resultBody(result) as Record<string, unknown>;
  const text = JSON.stringify(structuredContent);
  if (text.length > maxResultLength) {
    return failed(`The result is larger than that of a tool may be (${maxResultLength} characters).`);
  }
  return { content: [{ type: "text", text }], structuredContent };
}

function failed(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** Turns what would be an error response of another operation into an error of the protocol, with its message. */
async function withProtocolErrors<Result>(host: ProtocolHost, task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { status, detail } = await innerFailure(host, error);
    throw new ProtocolError(codeOf(status), detail);
  }
}

function codeOf(status: number): ErrorCode {
  if (status >= 500) return ErrorCode.InternalError;
  return status === 404 || status === 422 ? ErrorCode.InvalidParams : ErrorCode.InvalidRequest;
}
