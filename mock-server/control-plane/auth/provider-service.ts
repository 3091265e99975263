import { createHash } from "node:crypto";
import { badRequest, HttpError } from "../../kit/http/http-error.ts";
import { uuidFrom } from "../../kit/ids.ts";
import { OutboundError } from "../../kit/outbound.ts";
import { timestamp } from "../../kit/timestamp.ts";
import type { ProviderRecord } from "../store/auth-records.ts";
import { TenantTable } from "../store/tenant-table.ts";
import { editionPrefixes, type Tenancy } from "../tenancy.ts";
import type { AuthOptions } from "./auth-options.ts";
import type { McpProviderCreateBody, ProviderBody, ProviderCreateBody, ProviderUpdateBody } from "./auth-schemas.ts";
import { discoverMcpServer, registerClient } from "./mcp-discovery.ts";

const providerIdExpression = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;

function checkProviderId(id: string): void {
  if (!providerIdExpression.test(id)) {
    throw badRequest(
      `provider_id "${id}" can't be part of a path: use letters, digits, hyphens, dots and underscores.`,
    );
  }
}

/** Allows http and https only, since browsers are sent there. @throws {HttpError} 400 */
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

export type ProviderServiceOptions = Pick<
  AuthOptions,
  "store" | "clock" | "ids" | "redaction" | "outbound" | "publicUrl"
>;

/** The OAuth providers of one tenancy. */
export class ProviderService {
  readonly #options: ProviderServiceOptions;
  readonly #edition: Tenancy["edition"];
  readonly #providers: TenantTable<ProviderRecord, Tenancy>;

  constructor(options: ProviderServiceOptions, tenancy: Tenancy) {
    this.#options = options;
    this.#edition = tenancy.edition;
    this.#providers = new TenantTable(options.store.providers, tenancy);
  }

  list(): ProviderRecord[] {
    return this.#providers.find();
  }

  /** A provider, given its name or its ID. */
  get(id: string): ProviderRecord | undefined {
    return this.#providers.find({ providerId: id })[0] ?? this.#providers.get(id);
  }

  /** @throws {HttpError} 404 when the workspace doesn't have the provider. */
  find(id: string): ProviderRecord {
    const record = this.get(id);
    if (!record) throw new HttpError(404, `OAuth provider ${id} not found.`);
    return record;
  }

  /** @throws {HttpError} 400 for an invalid URL or name, 409 for a name in use. */
  create(body: ProviderCreateBody): ProviderRecord {
    checkProviderId(body.provider_id);
    checkEndpoint(body.auth_url, "auth_url");
    checkEndpoint(body.token_url, "token_url");
    checkChallengeMethod(body.code_challenge_method);
    return this.#insert({
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
   * Creates a provider from the authorization metadata of an MCP server, and registers a client there.
   * @throws {HttpError} 400 for a server that can't be called or whose metadata isn't usable, 409 for a name in use.
   */
  async discover(body: McpProviderCreateBody): Promise<ProviderRecord> {
    const { outbound, publicUrl } = this.#options;
    checkProviderId(body.provider_id);
    checkEndpoint(body.mcp_server_url, "mcp_server_url");
    this.#checkFree(body.provider_id);
    try {
      const server = await discoverMcpServer(outbound, body.mcp_server_url);
      const redirectUri = redirectUriOf(publicUrl(), this.#edition, body.provider_id);
      const client = await registerClient(outbound, server, redirectUri);
      return this.#insert({
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

  /** @throws {HttpError} 404 for an unknown provider, 400 for an invalid URL. */
  update(id: string, body: ProviderUpdateBody): ProviderRecord {
    const record = this.find(id);
    if (body.auth_url) checkEndpoint(body.auth_url, "auth_url");
    if (body.token_url) checkEndpoint(body.token_url, "token_url");
    checkChallengeMethod(body.code_challenge_method);
    if (body.client_secret) this.#options.redaction.remember(body.client_secret);
    return this.#providers.put({
      ...record,
      name: body.name ?? record.name,
      clientId: body.client_id ?? record.clientId,
      clientSecret: body.client_secret ?? record.clientSecret,
      authUrl: body.auth_url ?? record.authUrl,
      tokenUrl: body.token_url ?? record.tokenUrl,
      usesPkce: body.uses_pkce ?? record.usesPkce,
      codeChallengeMethod: body.code_challenge_method ?? record.codeChallengeMethod,
      updatedAt: this.#options.clock.now(),
    });
  }

  /** Removes a provider; the caller removes its tokens. */
  remove({ id }: ProviderRecord): void {
    this.#providers.remove(id);
  }

  #insert(fields: Omit<ProviderRecord, "id" | keyof Tenancy | "createdAt" | "updatedAt">): ProviderRecord {
    const { clock, ids, redaction } = this.#options;
    if (fields.clientSecret !== null) redaction.remember(fields.clientSecret);
    this.#checkFree(fields.providerId);
    const now = clock.now();
    return this.#providers.put({ id: ids.uuid(), ...fields, createdAt: now, updatedAt: now });
  }

  #checkFree(providerId: string): void {
    if (this.#providers.hasAny({ providerId })) {
      throw new HttpError(409, `An OAuth provider "${providerId}" already exists in this workspace.`);
    }
  }
}

/** The URI to which a provider sends browsers back, on the control plane of one edition. */
export function redirectUriOf(publicUrl: string, edition: Tenancy["edition"], providerId: string): string {
  return `${publicUrl}${editionPrefixes[edition]}/v2/auth/callback/${encodeURIComponent(providerId)}`;
}

/** A provider as clients see it. The organization id is derived from the workspace. */
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
    created_at: timestamp(record.createdAt),
    updated_at: timestamp(record.updatedAt),
  };
}
