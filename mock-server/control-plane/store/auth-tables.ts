import { isListOf, isText } from "../../kit/store/damaged-record.ts";
import type { Database } from "../../kit/store/database.ts";
import { Table, type TableShape } from "../../kit/store/table.ts";
import type { Edition } from "../tenancy.ts";
import type {
  AuthSessionRecord,
  ConnectionRecord,
  OAuthClientRecord,
  OAuthCodeRecord,
  OAuthGrantRecord,
  ProviderRecord,
  TokenRecord,
} from "./auth-records.ts";

export const providerShape: TableShape<ProviderRecord> = {
  table: "oauth_providers",
  fields: {
    id: "text",
    edition: "text",
    tenantId: "text",
    providerId: "text",
    name: "text",
    clientId: "text",
    clientSecret: "text",
    authUrl: "text",
    tokenUrl: "text",
    usesPkce: "boolean",
    codeChallengeMethod: "text",
    providerType: "text",
    tokenEndpointAuthMethod: "text",
    mcpServerUrl: "text",
    revocationUrl: "text",
    isDynamicClient: "boolean",
    createdAt: "number",
    updatedAt: "number",
  },
};

const tokenShape: TableShape<TokenRecord> = {
  table: "oauth_tokens",
  fields: {
    id: "text",
    edition: "text",
    tenantId: "text",
    providerRecordId: "text",
    userId: "text",
    createdBy: "text",
    accountLabel: "text",
    scopes: isListOf(isText),
    accessToken: "text",
    refreshToken: "text",
    expiresAt: "number",
    isDefault: "boolean",
    createdAt: "number",
    updatedAt: "number",
  },
};

/** Which tokens to find: those of a workspace, and of these those of a provider, a user or an owner. */
export interface TokenQuery {
  edition: Edition;
  tenantId: string;
  providerRecordId?: string;
  userId?: string;
  /** The user or the caller who asked for it: a token belongs to both. */
  owner?: string;
}

/** The tokens that providers have issued. */
export class Tokens extends Table<TokenRecord> {
  constructor(database: Database) {
    super(database, tokenShape);
  }

  /** The tokens that a query is for, the default ones first and then the newest. */
  list({ edition, tenantId, providerRecordId, userId, owner }: TokenQuery): TokenRecord[] {
    const terms = ["edition = ?", "tenant_id = ?"];
    const values = [edition, tenantId];
    const want = (term: string, value: string | undefined, times = 1) => {
      if (value === undefined) return;
      terms.push(term);
      for (let time = 0; time < times; time++) values.push(value);
    };
    // A plus sign keeps SQLite from an index: an owner has few tokens, and a provider may have thousands.
    want(owner === undefined ? "provider_record_id = ?" : "+provider_record_id = ?", providerRecordId);
    want("user_id = ?", userId);
    want("(user_id = ? OR created_by = ?)", owner, 2);
    return this.select(`WHERE ${terms.join(" AND ")} ORDER BY is_default DESC, position DESC`, ...values);
  }
}

export const authSessionShape: TableShape<AuthSessionRecord> = {
  table: "auth_sessions",
  fields: {
    id: "text",
    edition: "text",
    tenantId: "text",
    providerRecordId: "text",
    userId: "text",
    createdBy: "text",
    agentId: "text",
    scopes: isListOf(isText),
    isDefault: "boolean",
    codeVerifier: "text",
    redirectUri: "text",
    expiresAt: "number",
    status: "text",
    tokenId: "text",
  },
};

export const connectionShape: TableShape<ConnectionRecord> = {
  table: "agent_connections",
  fields: {
    id: "text",
    edition: "text",
    tenantId: "text",
    agentId: "text",
    tokenId: "text",
    createdBy: "text",
    createdAt: "number",
  },
};

export const oauthClientShape: TableShape<OAuthClientRecord> = {
  table: "oauth_clients",
  fields: { id: "text", secret: "text", name: "text", redirectUris: isListOf(isText) },
};

export const oauthCodeShape: TableShape<OAuthCodeRecord> = {
  table: "oauth_codes",
  fields: {
    id: "text",
    clientId: "text",
    redirectUri: "text",
    codeChallenge: "text",
    scope: "text",
    subject: "text",
    expiresAt: "number",
    grantId: "text",
  },
};

const grantShape: TableShape<OAuthGrantRecord> = {
  table: "oauth_grants",
  fields: {
    id: "text",
    clientId: "text",
    scope: "text",
    subject: "text",
    accessToken: "text",
    accessExpiresAt: "number",
    refreshToken: "text",
    spentRefreshTokens: { table: "spent_refresh_tokens", owner: "grant_id", entries: "token" },
    isRevoked: "boolean",
  },
};

/** The grants of the built-in OAuth provider. */
export class Grants extends Table<OAuthGrantRecord> {
  constructor(database: Database) {
    super(database, grantShape);
  }

  /** The grant whose newest refresh token this is, or one that has been used. */
  findByRefreshToken(token: string): OAuthGrantRecord | undefined {
    const spent = "SELECT grant_id FROM spent_refresh_tokens WHERE token = ?";
    return this.select(`WHERE refresh_token = ? OR id IN (${spent})`, token, token)[0];
  }
}
