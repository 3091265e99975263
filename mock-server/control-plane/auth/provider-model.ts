import { createHash } from "node:crypto";
import { badRequest, HttpError } from "../../kit/http/http-error.ts";
import { uuidFrom } from "../../kit/ids.ts";
import { OutboundError } from "../../kit/outbound.ts";
import type { Mock } from "../../mock.ts";
import type { Scope } from "../deployments/deployment-model.ts";
import type { ProviderRecord } from "../store/auth-records.ts";
import type { McpProviderCreateBody, ProviderBody, ProviderCreateBody, ProviderUpdateBody } from "./auth-schemas.ts";
import { discoverMcpServer, registerClient } from "./mcp-discovery.ts";
import { redirectUriOf } from "./redirect-uri.ts";

const providerIdExpression = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;

function checkProviderId(id: string): void {
  if (!providerIdExpression.test(id)) {
    throw badRequest(`provider_id "${id}" isn't usable in a path: letters, digits, hyphens, dots and underscores are.`);
  }
}

/** Browsers are sent there, so no other scheme will do. */
function checkEndpoint(url: string, field: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== "" || parsed.hash !== "") {
    throw badRequest(`${field} must be an http or https URL without a user and a fragment.`);
  }
}

function checkChallengeMethod(method: string | null | undefined): void {
  if (method !== null && method !== undefined && method !== "S256" && method !== "plain") {
    throw badRequest(`code_challenge_method must be "S256" or "plain".`);
  }
}

export function providersOf(mock: Mock, { edition, tenantId }: Scope): ProviderRecord[] {
  return mock.state.providers.find({ edition, tenantId });
}

/** A provider by the name that callers use, or by its ID. */
export function lookUpProvider(mock: Mock, { edition, tenantId }: Scope, id: string): ProviderRecord | undefined {
  const { providers } = mock.state;
  return providers.find({ edition, tenantId, providerId: id })[0] ?? providers.find({ edition, tenantId, id })[0];
}

/** @throws {HttpError} 404 unless the workspace has the provider. */
export function findProvider(mock: Mock, scope: Scope, id: string): ProviderRecord {
  const record = lookUpProvider(mock, scope, id);
  if (!record) throw new HttpError(404, `OAuth provider ${id} not found.`);
  return record;
}

function insertProvider(
  mock: Mock,
  scope: Scope,
  fields: Omit<ProviderRecord, "id" | "edition" | "tenantId" | "createdAt" | "updatedAt">,
): ProviderRecord {
  if (fields.clientSecret !== null) mock.redaction.remember(fields.clientSecret);
  checkFree(mock, scope, fields.providerId);
  const now = mock.clock.now();
  const record = { id: mock.ids.uuid(), ...scope, ...fields, createdAt: now, updatedAt: now };
  mock.state.providers.put(record);
  return record;
}

function checkFree(mock: Mock, { edition, tenantId }: Scope, providerId: string): void {
  if (mock.state.providers.hasAny({ edition, tenantId, providerId })) {
    throw new HttpError(409, `An OAuth provider "${providerId}" already exists in this workspace.`);
  }
}

/** @throws {HttpError} 400 for an address or name that can't be used, 409 for a name in use. */
export function createProvider(mock: Mock, scope: Scope, body: ProviderCreateBody): ProviderRecord {
  checkProviderId(body.provider_id);
  checkEndpoint(body.auth_url, "auth_url");
  checkEndpoint(body.token_url, "token_url");
  checkChallengeMethod(body.code_challenge_method);
  return insertProvider(mock, scope, {
    providerId: body.provider_id,
    name: body.name,
    clientId: body.client_id,
    clientSecret: body.client_secret ?? null,
    authUrl: body.auth_url,
    tokenUrl: body.token_url,
    usesPkce: body.uses_pkce,
    codeChallengeMethod: body.code_challenge_method,
    providerType: body.provider_type ?? null,
    tokenEndpointAuthMethod: body.token_endpoint_auth_method,
    mcpServerUrl: null,
    revocationUrl: null,
    isDynamicClient: false,
  });
}

/**
 * Makes a provider of what an MCP server says about its authorization, registering as a client there.
 * @throws {HttpError} 400 for a server that can't be called, or says nothing that can be used; 409 for a name in use.
 */
export async function createMcpProvider(
  mock: Mock,
  scope: Scope,
  body: McpProviderCreateBody,
): Promise<ProviderRecord> {
  checkProviderId(body.provider_id);
  checkEndpoint(body.mcp_server_url, "mcp_server_url");
  checkFree(mock, scope, body.provider_id);
  try {
    const server = await discoverMcpServer(mock.outbound, body.mcp_server_url);
    const redirectUri = redirectUriOf(mock, scope.edition, body.provider_id);
    const client = await registerClient(mock.outbound, server, redirectUri);
    return insertProvider(mock, scope, {
      providerId: body.provider_id,
      name: body.name,
      clientId: client.clientId,
      clientSecret: client.clientSecret,
      authUrl: server.authorizationEndpoint,
      tokenUrl: server.tokenEndpoint,
      usesPkce: true,
      codeChallengeMethod: "S256",
      providerType: null,
      tokenEndpointAuthMethod: client.tokenEndpointAuthMethod,
      mcpServerUrl: body.mcp_server_url,
      revocationUrl: server.revocationEndpoint,
      isDynamicClient: true,
    });
  } catch (error) {
    if (error instanceof OutboundError) throw badRequest(`MCP discovery failed: ${error.message}`);
    throw error;
  }
}

/** @throws {HttpError} 400 for an address that can't be used. */
export function updateProvider(mock: Mock, record: ProviderRecord, body: ProviderUpdateBody): ProviderRecord {
  if (body.auth_url) checkEndpoint(body.auth_url, "auth_url");
  if (body.token_url) checkEndpoint(body.token_url, "token_url");
  checkChallengeMethod(body.code_challenge_method);
  if (body.client_secret) mock.redaction.remember(body.client_secret);
  const updated: ProviderRecord = {
    ...record,
    name: body.name ?? record.name,
    clientId: body.client_id ?? record.clientId,
    clientSecret: body.client_secret ?? record.clientSecret,
    authUrl: body.auth_url ?? record.authUrl,
    tokenUrl: body.token_url ?? record.tokenUrl,
    usesPkce: body.uses_pkce ?? record.usesPkce,
    codeChallengeMethod: body.code_challenge_method ?? record.codeChallengeMethod,
    updatedAt: mock.clock.now(),
  };
  mock.state.providers.put(updated);
  return updated;
}

/** A provider as it is sent. The organization is the same for all workspaces of one name. */
export function viewProvider(record: ProviderRecord): ProviderBody {
  return {
    id: record.id,
    organization_id: uuidFrom(createHash("sha256").update(`organization/${record.tenantId}`).digest()),
    provider_id: record.providerId,
    name: record.name,
    client_id: record.clientId,
    auth_url: record.authUrl,
    token_url: record.tokenUrl,
    uses_pkce: record.usesPkce,
    code_challenge_method: record.codeChallengeMethod,
    provider_type: record.providerType,
    mcp_server_url: record.mcpServerUrl,
    token_endpoint_auth_method: record.tokenEndpointAuthMethod,
    is_dynamic_client: record.isDynamicClient,
    created_at: new Date(record.createdAt).toISOString(),
    updated_at: new Date(record.updatedAt).toISOString(),
  };
}
