import { createHash, randomBytes } from "node:crypto";
import type { AuthSessionRecord, ProviderRecord, TokenRecord } from "../store/auth-records.ts";
import { TenantTable } from "../store/tenant-table.ts";
import type { Tenancy } from "../tenancy.ts";
import { signedState } from "./auth-callbacks.ts";
import type { AuthOptions } from "./auth-options.ts";
import type { AuthenticateBody, AuthenticateResponse } from "./auth-schemas.ts";
import type { ConnectionService } from "./connection-service.ts";
import { type ProviderService, redirectUriOf } from "./provider-service.ts";
import { isOwnedBy, type TokenService, tokenNotFound } from "./token-service.ts";

/** Lifetime of an authentication: 10 minutes, in milliseconds. */
const sessionLifetime = 10 * 60_000;

/** Maximum duration of a wait within one request, in seconds. */
export const maxWait = 300;

export interface AuthServiceOptions
  extends Pick<AuthOptions, "store" | "clock" | "ids" | "signer" | "publicUrl" | "finished"> {
  providers: ProviderService;
  tokens: TokenService;
  connections: ConnectionService;
}

/** The authentications of one tenancy. */
export class AuthService {
  readonly #options: AuthServiceOptions;
  readonly #edition: Tenancy["edition"];
  readonly #sessions: TenantTable<AuthSessionRecord, Tenancy>;

  constructor(options: AuthServiceOptions, tenancy: Tenancy) {
    this.#options = options;
    this.#edition = tenancy.edition;
    this.#sessions = new TenantTable(options.store.authSessions, tenancy);
  }

  /**
   * Finds a user's token, whichever key of the workspace requested it, or returns the next step: the user allows access
   * (pending), connects the token to the agent (connection_required), or renews it (token_expired). Each has the URL at
   * which the user can do that.
   * @throws {HttpError} 404 for an unknown provider, and for a token of another user or provider.
   */
  async authenticate(caller: string, body: AuthenticateBody): Promise<AuthenticateResponse> {
    const { providers, tokens, connections } = this.#options;
    const provider = providers.find(body.provider);
    const userId = body.user_id || body.ls_user_id || caller;
    const begin = () => this.#begin(provider, caller, userId, body);
    if (body.force_new) return begin();
    const hasScopes = (token: TokenRecord) => body.scopes.every((wanted) => token.scopes.includes(wanted));
    const known = body.token_id
      ? [this.#tokenOf(userId, provider, body.token_id)]
      : tokens.list({ providerRecordId: provider.id, userId });
    let candidates = known.filter(hasScopes);
    if (body.agent_id && candidates.length > 0) {
      const connected = new Set(connections.list(body.agent_id).map(({ tokenId }) => tokenId));
      const usable = candidates.filter(({ id }) => connected.has(id));
      if (usable.length === 0) {
        const metadata = { agent_id: body.agent_id, token_ids: candidates.map(({ id }) => id) };
        return { ...begin(), status: "connection_required", metadata };
      }
      candidates = usable;
    }
    for (const { id } of candidates) {
      const token = await tokens.usable(provider, id);
      if (token) {
        const metadata = { token_id: token.id, scopes: token.scopes };
        return { status: "completed", token: token.accessToken, user_id: userId, metadata };
      }
    }
    return candidates.length > 0 ? { ...begin(), status: "token_expired" } : begin();
  }

  /**
   * Waits up to `seconds` of real time for the end of an authentication. One that failed, expired or was started by
   * another caller is `not_found`.
   */
  async wait(
    caller: string,
    id: string,
    seconds: number,
    signal: AbortSignal,
  ): Promise<{ status: "completed" | "timeout" | "not_found"; token?: string }> {
    const { clock, finished, tokens } = this.#options;
    const read = () => this.#sessions.find({ id, createdBy: caller })[0];
    let session = read();
    if (session?.status === "pending" && session.expiresAt > clock.now() && seconds > 0) {
      await finished.wait(id, Math.min(seconds, maxWait) * 1000, signal);
      session = read();
    }
    if (!session || session.status === "failed") return { status: "not_found" };
    if (session.status === "pending") return { status: session.expiresAt > clock.now() ? "timeout" : "not_found" };
    const token = tokens.get(session.tokenId ?? "");
    return token ? { status: "completed", token: token.accessToken } : { status: "not_found" };
  }

  #tokenOf(userId: string, provider: ProviderRecord, id: string): TokenRecord {
    const token = this.#options.tokens.get(id.toLowerCase());
    if (token?.providerRecordId === provider.id && isOwnedBy(token, userId)) return token;
    throw tokenNotFound(id);
  }

  #begin(provider: ProviderRecord, caller: string, userId: string, body: AuthenticateBody): AuthenticateResponse {
    const { clock, ids, publicUrl } = this.#options;
    const codeVerifier = provider.usesPkce ? randomBytes(32).toString("base64url") : null;
    const session = this.#sessions.put({
      id: ids.uuid(),
      providerRecordId: provider.id,
      userId,
      createdBy: caller,
      agentId: body.agent_id || null,
      scopes: body.scopes,
      isDefault: body.is_default,
      codeVerifier,
      redirectUri: redirectUriOf(publicUrl(), this.#edition, provider.providerId),
      expiresAt: clock.now() + sessionLifetime,
      status: "pending",
      tokenId: null,
    });
    const url = new URL(provider.authUrl);
    url.searchParams.set("response_type", "code");
    url.searchParams.set("client_id", provider.clientId);
    url.searchParams.set("redirect_uri", session.redirectUri);
    url.searchParams.set("state", signedState(this.#options, session.id));
    if (body.scopes.length > 0) url.searchParams.set("scope", body.scopes.join(" "));
    if (codeVerifier !== null) {
      const isPlain = provider.codeChallengeMethod === "plain";
      const challenge = isPlain ? codeVerifier : createHash("sha256").update(codeVerifier).digest("base64url");
      url.searchParams.set("code_challenge", challenge);
      url.searchParams.set("code_challenge_method", isPlain ? "plain" : "S256");
    }
    if (provider.mcpServerUrl !== null) url.searchParams.set("resource", provider.mcpServerUrl);
    return { status: "pending", url: url.href, auth_id: session.id, user_id: userId };
  }
}
