import { z } from "zod";
import type { Mock } from "../../mock.ts";

import { validationFailed } from "../common-responses.ts";
import type { Scope } from "../deployments/deployment-model.ts";
import { optionalText } from "../paging.ts";
import { route } from "../route.ts";
import { errorDetail } from "../schemas.ts";
import type { ProviderRecord, TokenRecord } from "../store/auth-records.ts";
import {
  messageResponse,
  revocationResponse,
  tokenStatusResponse,
  tokenSummary,
  tokenUpdateRequest,
} from "./auth-schemas.ts";
import { lookUpProvider, providersOf } from "./provider-model.ts";
import { deleteTokens, findToken, updateToken, viewToken } from "./token-model.ts";

const tag = "Auth Service (v2)";
const notFound = { description: "The caller has no such token.", schema: errorDetail };
const providerParameter = { kind: "string", schema: z.string(), description: "The provider." } as const;

/** The caller's tokens, of one provider if one is named. */
function ownTokens(mock: Mock, scope: Scope, caller: string, providerId?: string | null): TokenRecord[] {
  if (providerId === null || providerId === undefined) return mock.state.tokens.list({ ...scope, owner: caller });
  const provider = lookUpProvider(mock, scope, providerId);
  return provider ? mock.state.tokens.list({ ...scope, owner: caller, providerRecordId: provider.id }) : [];
}

/** The tokens of all users of a workspace for its Slack providers. */
function slackTokens(mock: Mock, scope: Scope): TokenRecord[] {
  const isSlack = ({ providerType, providerId }: ProviderRecord) => (providerType ?? providerId) === "slack";
  const providers = providersOf(mock, scope).filter(isSlack);
  return providers.flatMap(({ id }) => mock.state.tokens.list({ ...scope, providerRecordId: id }));
}

function present(mock: Mock, token: TokenRecord) {
  const provider = mock.state.providers.get(token.providerRecordId);
  return viewToken(token, provider?.providerId ?? token.providerRecordId);
}

export const tokenRoutes = [
  route({
    id: "list_oauth_tokens_for_user",
    method: "get",
    path: "/v2/auth/tokens",
    tag,
    summary: "List the caller's tokens",
    query: { provider_id: optionalText("Of this provider only.") },
    responses: {
      200: { description: "The tokens, without their values.", schema: z.array(tokenSummary) },
      422: validationFailed,
    },
    async handle({ mock, scope, caller, query }) {
      const tokens = ownTokens(mock, scope, caller, query.provider_id);
      return { status: 200, body: await Promise.all(tokens.map((token) => present(mock, token))) };
    },
  }),
  route({
    id: "delete_oauth_tokens_for_user",
    method: "delete",
    path: "/v2/auth/tokens",
    tag,
    summary: "Delete the caller's tokens of one provider",
    query: { provider_id: providerParameter },
    responses: { 200: { description: "They are deleted.", schema: revocationResponse }, 422: validationFailed },
    async handle({ mock, scope, caller, query }) {
      const tokens = ownTokens(mock, scope, caller, query.provider_id);
      await deleteTokens(mock, tokens);
      return { status: 200, body: { message: `${tokens.length} tokens deleted.`, provider_id: query.provider_id } };
    },
  }),
  route({
    id: "check_oauth_token_exists",
    method: "get",
    path: "/v2/auth/tokens/exists",
    tag,
    summary: "Ask whether the caller has a token of a provider",
    query: { provider_id: providerParameter },
    responses: { 200: { description: "The answer.", schema: tokenStatusResponse }, 422: validationFailed },
    handle({ mock, scope, caller, query }) {
      return { status: 200, body: { has_token: ownTokens(mock, scope, caller, query.provider_id).length > 0 } };
    },
  }),
  route({
    id: "check_workspace_slack_tokens_exist",
    method: "get",
    path: "/v2/auth/tokens/workspace/slack/exists",
    tag,
    summary: "Ask whether anybody in the workspace has a Slack token",
    responses: { 200: { description: "The answer.", schema: tokenStatusResponse } },
    handle({ mock, scope }) {
      return { status: 200, body: { has_token: slackTokens(mock, scope).length > 0 } };
    },
  }),
  route({
    id: "revoke_all_slack_tokens_for_workspace",
    method: "delete",
    path: "/v2/auth/tokens/workspace/slack",
    tag,
    summary: "Delete all Slack tokens of the workspace",
    responses: { 200: { description: "They are deleted.", schema: messageResponse } },
    async handle({ mock, scope }) {
      const found = slackTokens(mock, scope);
      await deleteTokens(mock, found);
      return { status: 200, body: { message: `${found.length} Slack tokens deleted.` } };
    },
  }),
  route({
    id: "update_token_label",
    method: "patch",
    path: "/v2/auth/tokens/{token_id}/metadata",
    params: { token_id: z.string() },
    tag,
    summary: "Change a token's label, or make it the default one",
    body: { schema: tokenUpdateRequest, required: true },
    responses: {
      200: { description: "The changed token.", schema: tokenSummary },
      404: notFound,
      422: validationFailed,
    },
    handle({ mock, scope, caller, params, body }) {
      const token = findToken(mock, scope, caller, params.token_id as string);
      const updated = updateToken(mock, token, body.provider_account_label, body.is_default);
      return { status: 200, body: present(mock, updated) };
    },
  }),
  route({
    id: "delete_single_oauth_token",
    method: "delete",
    path: "/v2/auth/tokens/{token_id}",
    params: { token_id: z.string() },
    tag,
    summary: "Delete a token, after revoking it at its provider",
    responses: { 204: { description: "It is deleted." }, 404: notFound, 422: validationFailed },
    async handle({ mock, scope, caller, params }) {
      await deleteTokens(mock, [findToken(mock, scope, caller, params.token_id as string)]);
      return { status: 204 };
    },
  }),
];
