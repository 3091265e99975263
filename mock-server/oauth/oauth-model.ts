import { createHash, randomBytes } from "node:crypto";
import type { OAuthClientRecord, OAuthGrantRecord } from "../control-plane/store/auth-records.ts";
import type { ControlPlaneStore } from "../control-plane/store/control-plane-store.ts";
import type { Clock } from "../kit/clock.ts";
import type { IdSource } from "../kit/ids.ts";
import { isLoopbackName } from "../kit/loopback.ts";
import type { Redaction } from "../kit/redaction.ts";
import { isSameText } from "../kit/same-text.ts";

/** Dependencies of the built-in OAuth provider. */
export interface OAuthOptions {
  store: Pick<ControlPlaneStore, "oauthClients" | "oauthCodes" | "oauthGrants" | "transaction">;
  clock: Clock;
  ids: IdSource;
  redaction: Redaction;
  publicUrl(): string;
}

/** The client that the built-in OAuth provider always has, for providers that are created manually. */
export const builtInClient = { id: "mock-client", secret: "mock-client-secret" } as const;

/** Lifetimes of codes and access tokens by the server's clock, in milliseconds. */
const codeLifetime = 60_000;
const tokenLifetime = 3_600_000;

/** An error of RFC 6749, section 5.2. */
export class OAuthError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, description: string, status = 400) {
    super(description);
    this.code = code;
    this.status = status;
  }
}

/** The issuer URL of the built-in provider. */
export function issuerOf(options: Pick<OAuthOptions, "publicUrl">): string {
  return `${options.publicUrl()}/oauth`;
}

/** A registered client, or the built-in one. */
export function clientOf(options: OAuthOptions, id: string): OAuthClientRecord | undefined {
  if (id === builtInClient.id) return { ...builtInClient, name: "Mock client", redirectUris: [] };
  return options.store.oauthClients.get(id);
}

/**
 * Whether a client may use a redirect URI: one that it registered or, for the built-in client, a callback of this
 * server.
 */
export function mayRedirectTo(options: OAuthOptions, client: OAuthClientRecord, uri: string): boolean {
  if (client.redirectUris.includes(uri)) return true;
  if (client.id !== builtInClient.id || !URL.canParse(uri)) return false;
  const url = new URL(uri);
  return (
    url.href === uri &&
    url.href.startsWith(options.publicUrl()) &&
    url.search === "" &&
    url.hash === "" &&
    /^(\/api-host)?\/v2\/auth\/callback\/[^/]+$/.test(url.href.slice(options.publicUrl().length))
  );
}

/**
 * Registers a client (RFC 7591).
 * @throws {OAuthError} for redirect URIs that are neither https, nor http on loopback, nor this server's.
 */
export function registerOAuthClient(
  options: OAuthOptions,
  name: string,
  redirectUris: readonly string[],
  isPublic: boolean,
): OAuthClientRecord {
  const own = new URL(options.publicUrl()).origin;
  for (const uri of redirectUris) {
    const url = URL.canParse(uri) ? new URL(uri) : undefined;
    const isAllowed =
      url?.hash === "" &&
      (url.protocol === "https:" || url.origin === own || (url.protocol === "http:" && isLoopbackName(url.hostname)));
    if (!isAllowed) {
      throw new OAuthError(
        "invalid_redirect_uri",
        "A redirect URI must be https without a fragment, or http on loopback.",
      );
    }
  }
  const secret = isPublic ? null : randomBytes(24).toString("base64url");
  if (secret !== null) options.redaction.remember(secret);
  const client = { id: options.ids.uuid(), secret, name, redirectUris: [...redirectUris] };
  options.store.oauthClients.put(client);
  return client;
}

/** A client's request for a user's consent. */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  scope: string;
  codeChallenge: string | null;
}

/** Issues a code after a user's consent. */
export function issueCode(options: OAuthOptions, request: AuthorizationRequest, subject: string): string {
  const id = randomBytes(32).toString("base64url");
  options.redaction.remember(id);
  options.store.oauthCodes.put({
    id,
    ...request,
    subject,
    expiresAt: options.clock.now() + codeLifetime,
    grantId: null,
  });
  return id;
}

/** @throws {OAuthError} 401 for an unknown client or a wrong secret. */
export function authenticateClient(
  options: OAuthOptions,
  id: string | undefined,
  secret: string | undefined,
): OAuthClientRecord {
  const client = clientOf(options, id ?? "");
  if (!client || (client.secret !== null && !isSameText(secret ?? "", client.secret))) {
    throw new OAuthError("invalid_client", "The client is unknown, or its secret is wrong.", 401);
  }
  return client;
}

/**
 * Exchanges a code for tokens. A code that is used a second time may have been stolen, so its tokens are revoked.
 * @throws {OAuthError} invalid_grant
 */
export function redeemCode(
  options: OAuthOptions,
  client: OAuthClientRecord,
  id: string,
  redirectUri: string,
  codeVerifier: string | undefined,
): OAuthGrantRecord {
  const { oauthCodes, oauthGrants } = options.store;
  const code = oauthCodes.get(id);
  if (!code || code.clientId !== client.id) throw new OAuthError("invalid_grant", "The code is unknown.");
  if (code.grantId !== null) {
    const grant = oauthGrants.get(code.grantId);
    if (grant) oauthGrants.put({ ...grant, isRevoked: true });
    throw new OAuthError("invalid_grant", "The code was used already.");
  }
  if (code.expiresAt <= options.clock.now()) throw new OAuthError("invalid_grant", "The code has expired.");
  if (code.redirectUri !== redirectUri) {
    throw new OAuthError("invalid_grant", "redirect_uri isn't that of the authorization request.");
  }
  const challenge = codeVerifier === undefined ? null : createHash("sha256").update(codeVerifier).digest("base64url");
  if (challenge !== code.codeChallenge) {
    throw new OAuthError("invalid_grant", "code_verifier doesn't match the code_challenge.");
  }
  const grant: OAuthGrantRecord = {
    id: options.ids.uuid(),
    clientId: client.id,
    scope: code.scope,
    subject: code.subject,
    ...newTokens(options),
    spentRefreshTokens: [],
    isRevoked: false,
  };
  options.store.transaction(() => {
    oauthGrants.put(grant);
    oauthCodes.put({ ...code, grantId: grant.id });
  });
  return grant;
}

function newTokens(options: OAuthOptions) {
  const accessToken = randomBytes(32).toString("base64url");
  const refreshToken = randomBytes(32).toString("base64url");
  options.redaction.remember(accessToken);
  options.redaction.remember(refreshToken);
  return { accessToken, refreshToken, accessExpiresAt: options.clock.now() + tokenLifetime };
}

/** Maximum number of used refresh tokens that are stored for a grant. */
const maxSpentTokens = 100;

/**
 * Renews the tokens of a grant and replaces the refresh token. A replaced refresh token ends the grant.
 * @throws {OAuthError} invalid_grant
 */
export function redeemRefreshToken(
  options: OAuthOptions,
  client: OAuthClientRecord,
  refreshToken: string,
): OAuthGrantRecord {
  const { oauthGrants } = options.store;
  const grant = oauthGrants.findByRefreshToken(refreshToken);
  if (!grant || grant.clientId !== client.id || grant.isRevoked) {
    throw new OAuthError("invalid_grant", "The refresh token is unknown or revoked.");
  }
  if (grant.refreshToken !== refreshToken) {
    oauthGrants.put({ ...grant, isRevoked: true });
    throw new OAuthError("invalid_grant", "The refresh token was used already: the grant is revoked.");
  }
  const spentRefreshTokens = [...grant.spentRefreshTokens, refreshToken].slice(-maxSpentTokens);
  const renewed = { ...grant, ...newTokens(options), spentRefreshTokens };
  oauthGrants.put(renewed);
  return renewed;
}

/** The grant of a valid access token. */
export function grantOfAccessToken(options: OAuthOptions, token: string): OAuthGrantRecord | undefined {
  const [grant] = options.store.oauthGrants.find({ accessToken: token });
  return grant && !grant.isRevoked && grant.accessExpiresAt > options.clock.now() ? grant : undefined;
}

/** Ends the grant of a token (RFC 7009); ignores unknown tokens. */
export function revokeGrant(options: OAuthOptions, client: OAuthClientRecord, token: string): void {
  const { oauthGrants } = options.store;
  for (const grant of [...oauthGrants.find({ accessToken: token }), ...oauthGrants.find({ refreshToken: token })]) {
    if (grant.clientId === client.id) oauthGrants.put({ ...grant, isRevoked: true });
  }
}

/** The response of the token endpoint (RFC 6749, section 5.1). */
export function tokenResponse(options: OAuthOptions, grant: OAuthGrantRecord): Record<string, unknown> {
  return {
    access_token: grant.accessToken,
    token_type: "Bearer",
    expires_in: Math.round((grant.accessExpiresAt - options.clock.now()) / 1000),
    refresh_token: grant.refreshToken,
    scope: grant.scope,
  };
}
