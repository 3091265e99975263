import { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import { agentRoute } from "../agent-route.ts";
import { errorResponse, fields } from "../agent-schemas.ts";
import { needsUserOnly } from "../auth/access-rule.ts";
import { refuseOtherSites } from "../other-sites.ts";

const tag = "MCP";
const path = "/mcp/";
const message = z.union([fields, z.array(fields)]);

export const mcpRoutes = [
  agentRoute({
    id: "post_mcp",
    access: needsUserOnly,
    method: "post",
    path,
    tag,
    summary: "Send a message of the Model Context Protocol",
    description: [
      "Streamable HTTP without sessions: every assistant is a tool, and a call of one is a stateless run.",
      "`Accept` must name `application/json` and `text/event-stream`.",
      "The response is a stream if the request has a `progressToken`.",
    ].join(" "),
    body: { schema: message, required: true, isRaw: true },
    responses: {
      200: {
        description: "The response, or the stream that ends with it.",
        schema: message,
        otherForms: { "text/event-stream": z.string() },
      },
      202: { description: "The message needs no response." },
      400: { description: "The body isn't JSON or not a message, or a header is unacceptable.", schema: fields },
      403: { description: "The request comes from a page of another site.", schema: errorResponse },
    },
    async handle({ host }) {
      refuseOtherSites(host, "use MCP");
      // The library takes longer to load than the rest of the server, and few clients need it.
      const [{ respondAsMcpServer }, { createAgentMcpServer }] = await Promise.all([
        import("../../kit/mcp/streamable-http.ts"),
        import("./agent-mcp-server.ts"),
      ]);
      return respondAsMcpServer(host.context, createAgentMcpServer(host));
    },
  }),
  agentRoute({
    id: "get_mcp",
    access: needsUserOnly,
    method: "get",
    path,
    tag,
    summary: "Refuse a stream of the server's own messages",
    responses: { 405: { description: "The server sends no messages of its own.", schema: errorResponse } },
    async handle() {
      throw new HttpError(405, "Method Not Allowed", { allow: "POST" });
    },
  }),
  agentRoute({
    id: "delete_mcp",
    access: needsUserOnly,
    method: "delete",
    path,
    tag,
    summary: "Refuse to end a session",
    responses: { 404: { description: "There are no sessions.", schema: errorResponse } },
    async handle() {
      throw new HttpError(404, "Session not found");
    },
  }),
];
