import { createHash, randomBytes } from "node:crypto";
import { badRequest, HttpError } from "../../kit/http/http-error.ts";
import { OutboundError } from "../../kit/outbound.ts";
import type { Mock } from "../../mock.ts";
import type { Scope } from "../deployments/deployment-model.ts";
import type { AuthSessionRecord, ProviderRecord, TokenRecord } from "../store/auth-records.ts";
import type { AuthenticateAnswer, AuthenticateBody } from "./auth-schemas.ts";
import { connect, connectedTokenIds } from "./connection-model.ts";
import { findProvider } from "./provider-model.ts";
import { redirectUriOf } from "./redirect-uri.ts";
import { exchangeCode } from "./token-endpoint.ts";
import { isOwnedBy, lookUpToken, storeToken, usableToken } from "./token-model.ts";

/** How long a user may take: 10 minutes, in milliseconds. */
const sessionLifetime = 10 * 60_000;
const purpose = "auth-state";

/**
 * Answers with a token of the user's, or says what is missing: that the user allows it (pending), that the token is connected to the agent
 * (connection_required), or that it is renewed (token_expired).
 * @throws {HttpError} 404 for an unknown provider or token.
 */
export async function authenticate(
  mock: Mock,
  scope: Scope,
  caller: string,
  body: AuthenticateBody,
): Promise<AuthenticateAnswer> {
  const provider = findProvider(mock, scope, body.provider);
  const userId = body.user_id || body.ls_user_id || caller;
  const begin = () => beginSession(mock, scope, provider, caller, userId, body);
  if (body.force_new) return pending(begin());
  const hasScopes = (token: TokenRecord) => body.scopes.every((wanted) => token.scopes.includes(wanted));
  let candidates = body.token_id
    ? [ownToken(mock, scope, caller, userId, body.token_id)]
    : mock.state.tokens.list({ ...scope, providerRecordId: provider.id, userId }).filter(hasScopes);
  if (body.agent_id && candidates.length > 0) {
    const connected = connectedTokenIds(mock, scope, body.agent_id);
    const usable = candidates.filter(({ id }) => connected.has(id));
    if (usable.length === 0) {
      const metadata = { agent_id: body.agent_id, token_ids: candidates.map(({ id }) => id) };
      return { status: "connection_required", user_id: userId, metadata };
    }
    candidates = usable;
  }
  for (const { id } of candidates) {
    const token = await usableToken(mock, provider, id);
    if (token) {
      const metadata = { token_id: token.id, scopes: token.scopes };
      return { status: "completed", token: token.accessToken, user_id: userId, metadata };
    }
  }
  const session = begin();
  return candidates.length > 0 ? { ...pending(session), status: "token_expired" } : pending(session);
}

function ownToken(mock: Mock, scope: Scope, caller: string, userId: string, id: string): TokenRecord {
  const token = lookUpToken(mock, scope, caller, id.toLowerCase());
  if (!token || (token.userId !== userId && !isOwnedBy(token, userId))) {
    throw new HttpError(404, `Token ID ${id} not found.`);
  }
  return token;
}

interface StartedSession {
  session: AuthSessionRecord;
  url: string;
}

function pending({ session, url }: StartedSession): AuthenticateAnswer {
  return { status: "pending", url, auth_id: session.id, user_id: session.userId };
}

function beginSession(
  mock: Mock,
  scope: Scope,
  provider: ProviderRecord,
  caller: string,
  userId: string,
  body: AuthenticateBody,
): StartedSession {
  const codeVerifier = provider.usesPkce ? randomBytes(32).toString("base64url") : null;
  const session: AuthSessionRecord = {
    id: mock.ids.uuid(),
    ...scope,
    providerRecordId: provider.id,
    userId,
    createdBy: caller,
    agentId: body.agent_id || null,
    scopes: body.scopes,
    isDefault: body.is_default,
    codeVerifier,
    redirectUri: redirectUriOf(mock, scope.edition, provider.providerId),
    expiresAt: mock.clock.now() + sessionLifetime,
    status: "pending",
    tokenId: null,
  };
  mock.state.authSessions.put(session);
  const url = new URL(provider.authUrl);
  url.searchParams.set("response_type", "code");
  url.searchParams.set("client_id", provider.clientId);
  url.searchParams.set("redirect_uri", session.redirectUri);
  url.searchParams.set("state", `${session.id}.${mock.signer.sign(purpose, session.id)}`);
  if (body.scopes.length > 0) url.searchParams.set("scope", body.scopes.join(" "));
  if (codeVerifier !== null) {
    const isPlain = provider.codeChallengeMethod === "plain";
    const challenge = isPlain ? codeVerifier : createHash("sha256").update(codeVerifier).digest("base64url");
    url.searchParams.set("code_challenge", challenge);
    url.searchParams.set("code_challenge_method", isPlain ? "plain" : "S256");
  }
  if (provider.mcpServerUrl !== null) url.searchParams.set("resource", provider.mcpServerUrl);
  return { session, url: url.href };
}

/** What came back from a provider with the browser. */
export interface Callback {
  providerId: string;
  state: string | null | undefined;
  code: string | null | undefined;
  error: string | null | undefined;
  errorDescription: string | null | undefined;
}

/**
 * Ends an authentication with what the provider sent back. A state is good for one answer: a second one, a forged one and one that has
 * expired are refused, and so is a state that belongs to another provider or, where `scope` is given, another workspace.
 * @throws {HttpError} 400 saying what is wrong.
 */
export async function finishAuthentication(
  mock: Mock,
  callback: Callback,
  scope?: Scope,
): Promise<{ provider: ProviderRecord; token: TokenRecord }> {
  const [id = "", signature = ""] = (callback.state ?? "").split(".");
  if (!mock.signer.verify(purpose, id, signature)) throw badRequest("The state isn't one of this server's.");
  return mock.locks.run(`auth/${id}`, async () => {
    const { authSessions, providers } = mock.state;
    const session = authSessions.get(id);
    const provider = session && providers.get(session.providerRecordId);
    const isForeign =
      scope !== undefined && (session?.tenantId !== scope.tenantId || session.edition !== scope.edition);
    if (!session || !provider || isForeign || ![provider.providerId, provider.id].includes(callback.providerId)) {
      throw badRequest("The state belongs to no authentication with this provider.");
    }
    if (session.status !== "pending") throw badRequest("The state was used already: begin again.");
    if (session.expiresAt <= mock.clock.now()) throw badRequest("The authentication has expired: begin again.");
    try {
      if (callback.error) throw new OutboundError(callback.errorDescription || callback.error);
      if (!callback.code) throw new OutboundError("no code came back.");
      const issued = await exchangeCode(mock, provider, callback.code, session.redirectUri, session.codeVerifier);
      return mock.state.transaction(() => {
        const token = storeToken(mock, session, issued);
        if (session.agentId !== null) connect(mock, session, session.agentId, token.id, session.createdBy);
        authSessions.put({ ...session, status: "completed", tokenId: token.id, codeVerifier: null });
        return { provider, token };
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      authSessions.put({ ...session, status: "failed", codeVerifier: null });
      throw badRequest(`The authentication failed: ${error.message}`);
    } finally {
      mock.authFinished.notify(id);
    }
  });
}

/** Longest wait for one answer, in seconds. */
export const longestWait = 300;

/**
 * Waits up to `seconds` of real time for the end of an authentication. One that failed, that has expired or that another caller began is
 * `not_found`.
 */
export async function waitForAuthentication(
  mock: Mock,
  scope: Scope,
  caller: string,
  id: string,
  seconds: number,
  signal: AbortSignal,
): Promise<{ status: "completed" | "timeout" | "not_found"; token?: string }> {
  const read = () => {
    const session = mock.state.authSessions.get(id);
    const isOurs =
      session?.tenantId === scope.tenantId && session.edition === scope.edition && session.createdBy === caller;
    return isOurs ? session : undefined;
  };
  let session = read();
  if (session?.status === "pending" && session.expiresAt > mock.clock.now() && seconds > 0) {
    await mock.authFinished.wait(id, Math.min(seconds, longestWait) * 1000, signal);
    session = read();
  }
  if (!session || session.status === "failed") return { status: "not_found" };
  if (session.status === "pending") {
    return { status: session.expiresAt > mock.clock.now() ? "timeout" : "not_found" };
  }
  const token = mock.state.tokens.get(session.tokenId ?? "");
  return token ? { status: "completed", token: token.accessToken } : { status: "not_found" };
}
