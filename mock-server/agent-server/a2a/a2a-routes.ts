import { z } from "zod";
import type { HttpResponse } from "../../kit/http/http-response.ts";
import { agentRoute, assistantIdParameter } from "../agent-route.ts";
import { errorResponse, fields, invalid, named, notFound } from "../agent-schemas.ts";
import type { AgentServices } from "../agent-services.ts";
import { refuseOtherSites } from "../other-sites.ts";
import type { ProtocolHost } from "../protocol-host.ts";
import { agentCard } from "./agent-card.ts";
import { assistantToRun } from "./assistant-input.ts";

const tag = "A2A";
const path = "/a2a/{assistant_id}";
const cardPath = "/.well-known/agent-card.json";
const params = { assistant_id: assistantIdParameter };

const version = z.literal("2.0");
const requestId = z.union([z.string(), z.int()]).nullable();
const request = named(
  "A2ARequest",
  z.object({ jsonrpc: version, id: requestId, method: z.string(), params: fields.optional() }),
);
const response = named(
  "A2AResponse",
  z.object({
    jsonrpc: version,
    id: requestId,
    result: z.unknown().optional(),
    error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
  }),
);

const card = {
  access: assistantToRun,
  method: "get" as const,
  tag,
  description:
    "In the form of version 0.3 of the protocol, or of that which the header `A2A-Version` names: 0.3 or 1.0.",
  responses: { 200: { description: "The agent card.", schema: fields }, 404: notFound, 422: invalid },
};

export const a2aRoutes = [
  agentRoute({
    id: "post_a2a",
    access: assistantToRun,
    method: "post",
    path,
    params,
    tag,
    summary: "Send a JSON-RPC request of the Agent2Agent protocol",
    description: [
      "Versions 0.3 and 1.0 of the protocol, as the header `A2A-Version` says.",
      "`Accept` must name `text/event-stream` for methods that stream, and `application/json` for others.",
    ].join(" "),
    body: { schema: request, required: true, isRaw: true },
    responses: {
      200: {
        description: "The response, which may be an error of JSON-RPC, or a stream of responses.",
        schema: response,
        otherForms: { "text/event-stream": z.string() },
      },
      400: { description: "The body isn't a request of JSON-RPC, or a header is unacceptable.", schema: fields },
      403: { description: "The request comes from a page of another site.", schema: errorResponse },
      404: notFound,
    },
    async handle({ host, assistants, params }) {
      refuseOtherSites(host, "use A2A");
      const assistant = assistants.findToRun(params.assistant_id as string);
      // The library takes longer to load than the rest of the server, and few clients need it.
      const { respondAsA2a } = await import("./respond.ts");
      return respondAsA2a(host, assistant);
    },
  }),
  agentRoute({
    ...card,
    id: "get_agent_card",
    path: `${path}${cardPath}`,
    params,
    summary: "Read the agent card of an assistant",
    handle: ({ host, assistants, params }) => cardResponse(host, assistants, params.assistant_id as string),
  }),
  agentRoute({
    ...card,
    access: ({ query }, access) =>
      assistantToRun(
        { params: { assistant_id: String(query.assistant_id) }, query, body: undefined, unknown: [] },
        access,
      ),
    id: "get_well_known_agent_card",
    path: cardPath,
    query: {
      assistant_id: { kind: "string", schema: assistantIdParameter, description: "The assistant." },
    },
    summary: "Read the agent card of the assistant that the query names",
    handle: ({ host, assistants, query }) => cardResponse(host, assistants, query.assistant_id),
  }),
];

async function cardResponse(
  host: ProtocolHost,
  assistants: AgentServices["assistants"],
  assistantId: string,
): Promise<HttpResponse> {
  const version = host.context.header("a2a-version") ?? "0.3";
  const body = await agentCard(host, assistants.findToRun(assistantId), version.startsWith("0."));
  return { status: 200, body, headers: { vary: "A2A-Version" } };
}
