import type { Edition } from "../tenancy.ts";

/** An OAuth provider of a workspace, as the auth service knows it. */
export interface ProviderRecord {
  id: string;
  edition: Edition;
  tenantId: string;
  /** The name that callers use. */
  providerId: string;
  name: string;
  clientId: string;
  clientSecret: string | null;
  authUrl: string;
  tokenUrl: string;
  usesPkce: boolean;
  codeChallengeMethod: string | null;
  providerType: string | null;
  tokenEndpointAuthMethod: string;
  mcpServerUrl: string | null;
  /** The revocation endpoint; known for discovered providers only. */
  revocationUrl: string | null;
  isDynamicClient: boolean;
  createdAt: number;
  updatedAt: number;
}

/** A token that a provider issued to the workspace for a user. */
export interface TokenRecord {
  id: string;
  edition: Edition;
  tenantId: string;
  /** The `id` of the provider's record. */
  providerRecordId: string;
  /** The user. */
  userId: string;
  /** The caller who requested it, who may read and change it as well. */
  createdBy: string;
  accountLabel: string | null;
  scopes: string[];
  accessToken: string;
  refreshToken: string | null;
  expiresAt: number | null;
  isDefault: boolean;
  createdAt: number;
  updatedAt: number;
}

/** An authentication of a user. */
export interface AuthSessionRecord {
  id: string;
  edition: Edition;
  tenantId: string;
  providerRecordId: string;
  userId: string;
  createdBy: string;
  agentId: string | null;
  scopes: string[];
  isDefault: boolean;
  codeVerifier: string | null;
  redirectUri: string;
  expiresAt: number;
  status: "pending" | "completed" | "failed";
  tokenId: string | null;
}

/** Lets an agent use a token. */
export interface ConnectionRecord {
  id: string;
  edition: Edition;
  tenantId: string;
  agentId: string;
  tokenId: string;
  createdBy: string;
  createdAt: number;
}

/** A client of the built-in OAuth provider. */
export interface OAuthClientRecord {
  id: string;
  secret: string | null;
  name: string;
  redirectUris: string[];
}

/** An authorization code of the built-in OAuth provider; `id` is the code. */
export interface OAuthCodeRecord {
  id: string;
  clientId: string;
  redirectUri: string;
  codeChallenge: string | null;
  scope: string;
  subject: string;
  expiresAt: number;
  /** The grant that the code was exchanged for. */
  grantId: string | null;
}

/** A user's consent for a client of the built-in OAuth provider, with its newest tokens. */
export interface OAuthGrantRecord {
  id: string;
  clientId: string;
  scope: string;
  subject: string;
  accessToken: string;
  accessExpiresAt: number;
  refreshToken: string;
  /** Used refresh tokens: using one again ends the grant. */
  spentRefreshTokens: string[];
  isRevoked: boolean;
}
