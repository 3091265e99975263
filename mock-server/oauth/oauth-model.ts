import { createHash, randomBytes } from "node:crypto";
import type { OAuthClientRecord, OAuthGrantRecord } from "../control-plane/store/auth-records.ts";
import type { ControlPlaneStore } from "../control-plane/store/control-plane-store.ts";
import type { Clock } from "../kit/clock.ts";
import type { IdSource } from "../kit/ids.ts";
import { isLoopbackName } from "../kit/loopback.ts";
import type { Redaction } from "../kit/redaction.ts";
import { isSameText } from "../kit/same-text.ts";

/** What the built-in OAuth provider is made of. */
export interface OAuthOptions {
  store: Pick<ControlPlaneStore, "oauthClients" | "oauthCodes" | "oauthGrants" | "transaction">;
  clock: Clock;
  ids: IdSource;
  redaction: Redaction;
  publicUrl(): string;
}

/** Client of the built-in OAuth provider that is there from the start, for providers that are created by hand. */
export const builtInClient = { id: "mock-client", secret: "mock-client-secret" } as const;

/** How long a code is good for, and an access token: by the server's clock, in milliseconds. */
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

/** Where the built-in provider stands: its issuer. */
export function issuerOf(options: Pick<OAuthOptions, "publicUrl">): string {
  return `${options.publicUrl()}/oauth`;
}

/** A registered client, or the built-in one. */
export function clientOf(options: OAuthOptions, id: string): OAuthClientRecord | undefined {
  if (id === builtInClient.id) return { ...builtInClient, name: "Mock client", redirectUris: [] };
  return options.store.oauthClients.get(id);
}

/** Whether a client may have browsers sent to `uri`: one of those it registered, or for the built-in client a callback of this server's. */
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

/** Registers a client (RFC 7591). @throws {OAuthError} for redirect URIs that are neither https, nor http to this machine, nor this server's. */
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
        "A redirect URI is https without a fragment, or http to this machine.",
      );
    }
  }
  const secret = isPublic ? null : randomBytes(24).toString("base64url");
  if (secret !== null) options.redaction.remember(secret);
  const client = { id: options.ids.uuid(), secret, name, redirectUris: [...redirectUris] };
  options.store.oauthClients.put(client);
  return client;
}

/** What a client asks a user for. */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  scope: string;
  codeChallenge: string | null;
}

/** The code that a user's consent comes to. */
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

/** @throws {OAuthError} 401 unless the client is known and, if it has a secret, shows it. */
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
 * Exchanges a code for tokens. A code that comes a second time was stolen or lost: the tokens that it gave are revoked.
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
    throw new OAuthError("invalid_grant", "redirect_uri isn't the one that the code was made for.");
  }
  const challenge = codeVerifier === undefined ? null : createHash("sha256").update(codeVerifier).digest("base64url");
  if (challenge !== code.codeChallenge) {
    throw new OAuthError("invalid_grant", "code_verifier doesn't belong to the code_challenge.");
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

/** How many refresh tokens of one grant are remembered as used. */
const maxSpentTokens = 100;

/**
 * Renews the tokens of a grant; the refresh token is replaced. One that was replaced already ends the grant.
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

/** The grant that an access token is of, while it is valid. */
export function grantOfAccessToken(options: OAuthOptions, token: string): OAuthGrantRecord | undefined {
  const [grant] = options.store.oauthGrants.find({ accessToken: token });
  return grant && !grant.isRevoked && grant.accessExpiresAt > options.clock.now() ? grant : undefined;
}

/** Ends the grant that a token is of (RFC 7009); an unknown token is no error. */
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
