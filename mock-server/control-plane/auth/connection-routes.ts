import { z } from "zod";
import { validationFailed } from "../common-responses.ts";
import { route } from "../route.ts";
import { errorDetail } from "../schemas.ts";
import { connectionCreateRequest, connectionResponse, connectionsListResponse } from "./auth-schemas.ts";
import { connect, connectionsOf, disconnect, viewConnection } from "./connection-model.ts";
import { findToken } from "./token-model.ts";

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
    async handle({ mock, scope, params }) {
      const records = connectionsOf(mock, scope, params.agent_id as string);
      const views = await Promise.all(records.map((record) => viewConnection(mock, record)));
      return { status: 200, body: { data: views.filter((view) => view !== undefined) } };
    },
  }),
  route({
    id: "create_connection",
    method: "post",
    path,
    params,
    tag,
    summary: "Let an agent use one of the caller's tokens",
    body: { schema: connectionCreateRequest, required: true },
    responses: {
      201: { description: "The connection.", schema: connectionResponse },
      404: { description: "The caller has no such token.", schema: errorDetail },
      422: validationFailed,
    },
    handle({ mock, scope, caller, params, body }) {
      const token = findToken(mock, scope, caller, body.oauth_token_id);
      const record = connect(mock, scope, params.agent_id as string, token.id, caller);
      return { status: 201, body: viewConnection(mock, record) };
    },
  }),
  route({
    id: "remove_connection",
    method: "delete",
    path: `${path}/{connection_id}`,
    params,
    tag,
    summary: "Take a token away from an agent",
    responses: {
      204: { description: "It is removed." },
      404: { description: "The agent has no such connection.", schema: errorDetail },
      422: validationFailed,
    },
    handle({ mock, scope, params }) {
      disconnect(mock, scope, params.agent_id as string, params.connection_id as string);
      return { status: 204 };
    },
  }),
];
