import { z } from "zod";

import { ruleBroken, validationFailed } from "../common-responses.ts";
import { route } from "../route.ts";
import { errorDetail } from "../schemas.ts";
import {
  mcpProviderCreateRequest,
  messageResponse,
  providerCreateRequest,
  providerResponse,
  providerUpdateRequest,
} from "./auth-schemas.ts";
import { viewProvider } from "./provider-service.ts";

const tag = "Auth Service (v2)";
const path = "/v2/auth/providers";
const notFound = { description: "No such provider in this workspace.", schema: errorDetail };
const taken = { description: "The workspace has a provider of this name.", schema: errorDetail };
const one = { path: `${path}/{provider_id}`, params: { provider_id: z.string() } } as const;

export const providerRoutes = [
  route({
    id: "list_oauth_providers",
    method: "get",
    path,
    tag,
    summary: "List the OAuth providers of the workspace",
    responses: { 200: { description: "The providers.", schema: z.array(providerResponse) } },
    handle({ providers }) {
      return { status: 200, body: providers.list().map(viewProvider) };
    },
  }),
  route({
    id: "create_oauth_provider",
    method: "post",
    path,
    tag,
    summary: "Create an OAuth provider",
    body: { schema: providerCreateRequest, required: true },
    responses: {
      200: { description: "The new provider.", schema: providerResponse },
      400: ruleBroken,
      409: taken,
      422: validationFailed,
    },
    handle({ providers, body }) {
      return { status: 200, body: viewProvider(providers.create(body)) };
    },
  }),
  route({
    id: "create_mcp_oauth_provider",
    method: "post",
    path: `${path}/mcp-discover`,
    tag,
    summary: "Create an OAuth provider by discovery from an MCP server",
    body: { schema: mcpProviderCreateRequest, required: true },
    responses: {
      200: {
        description: "The new provider, with which this server has registered as a client.",
        schema: providerResponse,
      },
      400: ruleBroken,
      409: taken,
      422: validationFailed,
    },
    async handle({ providers, body }) {
      return { status: 200, body: viewProvider(await providers.discover(body)) };
    },
  }),
  route({
    id: "get_oauth_provider",
    method: "get",
    ...one,
    tag,
    summary: "Read an OAuth provider",
    responses: {
      200: { description: "The provider, without its client secret.", schema: providerResponse },
      404: notFound,
      422: validationFailed,
    },
    handle({ providers, params }) {
      return { status: 200, body: viewProvider(providers.find(params.provider_id)) };
    },
  }),
  route({
    id: "update_oauth_provider",
    method: "patch",
    ...one,
    tag,
    summary: "Change an OAuth provider",
    body: { schema: providerUpdateRequest, required: true },
    responses: {
      200: { description: "The changed provider.", schema: providerResponse },
      400: ruleBroken,
      404: notFound,
      422: validationFailed,
    },
    handle({ providers, params, body }) {
      return { status: 200, body: viewProvider(providers.update(params.provider_id, body)) };
    },
  }),
  route({
    id: "delete_oauth_provider",
    method: "delete",
    ...one,
    tag,
    summary: "Delete an OAuth provider and its tokens",
    responses: {
      200: { description: "The provider was deleted.", schema: messageResponse },
      404: notFound,
      422: validationFailed,
    },
    async handle({ providers, tokens, params }) {
      const record = providers.find(params.provider_id);
      await tokens.remove(tokens.list({ providerRecordId: record.id }));
      providers.remove(record);
      return { status: 200, body: { message: `OAuth provider ${record.providerId} deleted.` } };
    },
  }),
];
