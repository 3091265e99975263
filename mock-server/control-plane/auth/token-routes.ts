import { z } from "zod";
import { validationFailed } from "../common-responses.ts";
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
import type { ProviderService } from "./provider-service.ts";
import type { TokenService } from "./token-service.ts";

const tag = "Auth Service (v2)";
const notFound = { description: "The caller has no such token.", schema: errorDetail };
const providerParameter = { kind: "string", schema: z.string(), description: "The provider." } as const;

interface Services {
  providers: ProviderService;
  tokens: TokenService;
}

/** The caller's tokens, of one provider if it is given. */
function callerTokens({ providers, tokens }: Services, owner: string, providerId?: string | null): TokenRecord[] {
  if (providerId === null || providerId === undefined) return tokens.list({ owner });
  const provider = providers.get(providerId);
  return provider ? tokens.list({ owner, providerRecordId: provider.id }) : [];
}

/** The tokens of all users of a workspace for its Slack providers. */
function slackTokens({ providers, tokens }: Services): TokenRecord[] {
  const isSlack = ({ providerType, providerId }: ProviderRecord) => (providerType ?? providerId) === "slack";
  return providers
    .list()
    .filter(isSlack)
    .flatMap(({ id }) => tokens.list({ providerRecordId: id }));
}

export const tokenRoutes = [
  route({
    id: "list_oauth_tokens_for_user",
    method: "get",
    path: "/v2/auth/tokens",
    tag,
    summary: "List the caller's tokens",
    query: { provider_id: optionalText("Only tokens of this provider.") },
    responses: {
      200: { description: "The tokens, without their values.", schema: z.array(tokenSummary) },
      422: validationFailed,
    },
    handle({ providers, tokens, caller, query }) {
      const own = callerTokens({ providers, tokens }, caller, query.provider_id);
      return { status: 200, body: own.map((token) => tokens.view(token)) };
    },
  }),
  route({
    id: "delete_oauth_tokens_for_user",
    method: "delete",
    path: "/v2/auth/tokens",
    tag,
    summary: "Delete the caller's tokens of one provider",
    query: { provider_id: providerParameter },
    responses: { 200: { description: "The tokens were deleted.", schema: revocationResponse }, 422: validationFailed },
    async handle({ providers, tokens, caller, query }) {
      const own = callerTokens({ providers, tokens }, caller, query.provider_id);
      await tokens.remove(own);
      return { status: 200, body: { message: `${own.length} tokens deleted.`, provider_id: query.provider_id } };
    },
  }),
  route({
    id: "check_oauth_token_exists",
    method: "get",
    path: "/v2/auth/tokens/exists",
    tag,
    summary: "Check whether the caller has a token of a provider",
    query: { provider_id: providerParameter },
    responses: { 200: { description: "The answer.", schema: tokenStatusResponse }, 422: validationFailed },
    handle({ providers, tokens, caller, query }) {
      const own = callerTokens({ providers, tokens }, caller, query.provider_id);
      return { status: 200, body: { has_token: own.length > 0 } };
    },
  }),
  route({
    id: "check_workspace_slack_tokens_exist",
    method: "get",
    path: "/v2/auth/tokens/workspace/slack/exists",
    tag,
    summary: "Check whether anybody in the workspace has a Slack token",
    responses: { 200: { description: "The answer.", schema: tokenStatusResponse } },
    handle(services) {
      return { status: 200, body: { has_token: slackTokens(services).length > 0 } };
    },
  }),
  route({
    id: "revoke_all_slack_tokens_for_workspace",
    method: "delete",
    path: "/v2/auth/tokens/workspace/slack",
    tag,
    summary: "Delete all Slack tokens of the workspace",
    responses: { 200: { description: "The tokens were deleted.", schema: messageResponse } },
    async handle(services) {
      const found = slackTokens(services);
      await services.tokens.remove(found);
      return { status: 200, body: { message: `${found.length} Slack tokens deleted.` } };
    },
  }),
  route({
    id: "update_token_label",
    method: "patch",
    path: "/v2/auth/tokens/{token_id}/metadata",
    params: { token_id: z.string() },
    tag,
    summary: "Change a token's label, or make it the default",
    body: { schema: tokenUpdateRequest, required: true },
    responses: {
      200: { description: "The changed token.", schema: tokenSummary },
      404: notFound,
      422: validationFailed,
    },
    async handle({ tokens, caller, params, body }) {
      const updated = await tokens.update(caller, params.token_id, body.provider_account_label, body.is_default);
      return { status: 200, body: tokens.view(updated) };
    },
  }),
  route({
    id: "delete_single_oauth_token",
    method: "delete",
    path: "/v2/auth/tokens/{token_id}",
    params: { token_id: z.string() },
    tag,
    summary: "Delete a token, after revoking it at its provider",
    responses: { 204: { description: "The token was deleted." }, 404: notFound, 422: validationFailed },
    async handle({ tokens, caller, params }) {
      await tokens.remove([tokens.findOwn(caller, params.token_id)]);
      return { status: 204 };
    },
  }),
];
