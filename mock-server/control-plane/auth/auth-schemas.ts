import { z } from "zod";
import { named } from "../schema-names.ts";

const authMethods = ["none", "client_secret_basic", "client_secret_post"] as const;

export const providerCreateRequest = named(
  "OAuthProviderCreateRequest",
  z.object({
    provider_id: z.string().min(1).max(255),
    name: z.string().min(1).max(255),
    client_id: z.string().min(1).max(1024),
    client_secret: z.string().max(4096).nullish(),
    auth_url: z.string().max(2048),
    token_url: z.string().max(2048),
    uses_pkce: z.boolean().default(false),
    code_challenge_method: z.string().default("S256"),
    provider_type: z.enum(["microsoft", "salesforce", "slack"]).nullish(),
    token_endpoint_auth_method: z.enum(authMethods).default("client_secret_post"),
  }),
);
export type ProviderCreateBody = z.output<typeof providerCreateRequest>;

export const providerUpdateRequest = named(
  "OAuthProviderUpdateRequest",
  z.object({
    name: z.string().min(1).max(255).nullish(),
    client_id: z.string().min(1).max(1024).nullish(),
    client_secret: z.string().max(4096).nullish(),
    auth_url: z.string().max(2048).nullish(),
    token_url: z.string().max(2048).nullish(),
    uses_pkce: z.boolean().nullish(),
    code_challenge_method: z.string().nullish(),
  }),
);
export type ProviderUpdateBody = z.output<typeof providerUpdateRequest>;

export const mcpProviderCreateRequest = named(
  "MCPOAuthProviderCreateRequest",
  z.object({
    provider_id: z.string().min(1).max(255),
    name: z.string().min(1).max(255),
    mcp_server_url: z.string().max(2048),
  }),
);
export type McpProviderCreateBody = z.output<typeof mcpProviderCreateRequest>;

/** A provider as clients see it: without the client secret. */
export const providerResponse = named(
  "OAuthProviderResponse",
  z.object({
    id: z.string(),
    organization_id: z.string(),
    provider_id: z.string(),
    name: z.string(),
    client_id: z.string(),
    auth_url: z.string(),
    token_url: z.string(),
    uses_pkce: z.boolean(),
    code_challenge_method: z.string().nullable(),
    provider_type: z.string().nullish(),
    mcp_server_url: z.string().nullish(),
    token_endpoint_auth_method: z.string().default("client_secret_post"),
    is_dynamic_client: z.boolean().default(false),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  }),
);
export type ProviderBody = z.infer<typeof providerResponse>;

export const authenticateRequest = named(
  "AuthAuthenticateRequest",
  z.object({
    user_id: z.string().max(255).nullish(),
    ls_user_id: z.string().max(255).nullish(),
    agent_id: z.string().max(255).nullish(),
    provider: z.string(),
    scopes: z.array(z.string()),
    use_agent_builder_public_oauth: z.boolean().default(false),
    force_new: z.boolean().default(false),
    token_id: z.guid().nullish(),
    is_default: z.boolean().default(true),
  }),
);
export type AuthenticateBody = z.output<typeof authenticateRequest>;

const authStatus = named("AuthStatus", z.enum(["completed", "pending", "connection_required", "token_expired"]));
export const authenticateResponse = named(
  "AuthAuthenticateResponse",
  z.object({
    status: authStatus,
    url: z.string().nullish(),
    auth_id: z.string().nullish(),
    token: z.string().nullish(),
    user_id: z.string().nullish(),
    metadata: z.looseObject({}).nullish(),
  }),
);
export type AuthenticateResponse = z.infer<typeof authenticateResponse>;

const waitStatus = named("AuthWaitStatus", z.enum(["completed", "pending", "timeout", "not_found"]));
export const waitResponse = named("AuthWaitResponse", z.object({ status: waitStatus, token: z.string().nullish() }));

export const finalizeRequest = named("OAuthFinalizeRequest", z.object({ code: z.string(), state: z.string() }));
export const finalizeResponse = named(
  "OAuthFinalizeResponse",
  z.object({ status: z.string(), provider_id: z.string() }),
);

export const tokenSummary = named(
  "OAuthTokenSummary",
  z.object({
    id: z.string(),
    provider_id: z.string(),
    provider_account_label: z.string().nullish(),
    scopes: z.array(z.string()).default([]),
    expires_at: z.iso.datetime().nullish(),
    is_default: z.boolean().default(false),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  }),
);
export type TokenBody = z.infer<typeof tokenSummary>;

export const tokenUpdateRequest = named(
  "OAuthTokenUpdateRequest",
  z.object({ provider_account_label: z.string().max(255).nullish(), is_default: z.boolean().nullish() }),
);
export const tokenStatusResponse = named("OAuthTokenStatusResponse", z.object({ has_token: z.boolean() }));
export const messageResponse = named("Message", z.object({ message: z.string() }));
export const revocationResponse = named("TokenRevocation", z.object({ message: z.string(), provider_id: z.string() }));

export const connectionCreateRequest = named("CreateAgentConnectionRequest", z.object({ oauth_token_id: z.string() }));
export const connectionResponse = named(
  "AgentConnectionResponse",
  z.object({
    id: z.string(),
    agent_id: z.string(),
    oauth_token_id: z.string(),
    provider_id: z.string(),
    provider_account_label: z.string().nullable(),
    scopes: z.array(z.string()),
    expires_at: z.iso.datetime().nullable(),
    created_by: z.string(),
    created_at: z.iso.datetime(),
  }),
);
export type ConnectionBody = z.infer<typeof connectionResponse>;
export const connectionsListResponse = named(
  "AgentConnectionListResponse",
  z.object({ data: z.array(connectionResponse) }),
);
