import { z } from "zod";
import { validationFailed } from "../common-responses.ts";
import { route } from "../route.ts";
import { errorDetail } from "../schemas.ts";
import { connectionCreateRequest, connectionResponse, connectionsListResponse } from "./auth-schemas.ts";

const tag = "Agent Connections (v2)";
const path = "/v2/auth/agents/{agent_id}/connections";
const params = { agent_id: z.string(), connection_id: z.string() };

export const agentConnectionRoutes = [
  route({
    id: "list_connections",
    method: "get",
    path,
    params,
    tag,
    summary: "List the tokens that an agent may use",
    responses: { 200: { description: "The connections.", schema: connectionsListResponse }, 422: validationFailed },
    handle({ connections, params }) {
      const data = connections.list(params.agent_id).flatMap((record) => connections.view(record) ?? []);
      return { status: 200, body: { data } };
    },
  }),
  route({
    id: "create_connection",
    method: "post",
    path,
    params,
    tag,
    summary: "Let an agent use a token",
    body: { schema: connectionCreateRequest, required: true },
    responses: {
      201: { description: "The connection.", schema: connectionResponse },
      404: { description: "The workspace has no such token.", schema: errorDetail },
      422: validationFailed,
    },
    handle({ tokens, connections, caller, params, body }) {
      const token = tokens.find(body.oauth_token_id);
      return { status: 201, body: connections.view(connections.connect(params.agent_id, token.id, caller)) };
    },
  }),
  route({
    id: "remove_connection",
    method: "delete",
    path: `${path}/{connection_id}`,
    params,
    tag,
    summary: "Remove an agent's access to a token",
    responses: {
      204: { description: "The connection was removed." },
      404: { description: "The agent has no such connection.", schema: errorDetail },
      422: validationFailed,
    },
    handle({ connections, params }) {
      connections.disconnect(params.agent_id, params.connection_id);
      return { status: 204 };
    },
  }),
];
