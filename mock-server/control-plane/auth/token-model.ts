import { HttpError } from "../../kit/http/http-error.ts";
import { OutboundError } from "../../kit/outbound.ts";
import type { Mock } from "../../mock.ts";
import type { Scope } from "../deployments/deployment-model.ts";
import type { AuthSessionRecord, ProviderRecord, TokenRecord } from "../store/auth-records.ts";
import type { TokenBody } from "./auth-schemas.ts";
import { type IssuedToken, refresh, revoke } from "./token-endpoint.ts";

/** A user's token belongs to the user and to the caller who asked for it. */
export function isOwnedBy(token: TokenRecord, caller: string): boolean {
  return token.userId === caller || token.createdBy === caller;
}

const isIn = (scope: Scope) => (token: TokenRecord) =>
  token.edition === scope.edition && token.tenantId === scope.tenantId;

/** The token of this id, if the caller owns it. */
export function lookUpToken(mock: Mock, scope: Scope, caller: string, id: string): TokenRecord | undefined {
  const token = mock.state.tokens.get(id);
  return token && isIn(scope)(token) && isOwnedBy(token, caller) ? token : undefined;
}

/** @throws {HttpError} 404 unless the caller owns the token. */
export function findToken(mock: Mock, scope: Scope, caller: string, id: string): TokenRecord {
  const token = lookUpToken(mock, scope, caller, id);
  if (!token) throw new HttpError(404, `Token ID ${id} not found.`);
  return token;
}

/** Stores what an authentication came to; a user's first token for a provider is the default one in any case. */
export function storeToken(mock: Mock, session: AuthSessionRecord, issued: IssuedToken): TokenRecord {
  const now = mock.clock.now();
  const { edition, tenantId, providerRecordId, userId, createdBy } = session;
  const { tokens } = mock.state;
  const token: TokenRecord = {
    id: mock.ids.uuid(),
    edition,
    tenantId,
    providerRecordId,
    userId,
    createdBy,
    accountLabel: null,
    scopes: issued.scopes ?? session.scopes,
    accessToken: issued.accessToken,
    refreshToken: issued.refreshToken,
    expiresAt: issued.expiresAt,
    isDefault: session.isDefault || !tokens.hasAny({ edition, tenantId, providerRecordId, userId }),
    createdAt: now,
    updatedAt: now,
  };
  mock.state.transaction(() => {
    if (token.isDefault) clearDefault(mock, token);
    tokens.put(token);
  });
  return token;
}

/** Leaves no default token of the user's for the provider but `except`. */
function clearDefault(mock: Mock, { id, edition, tenantId, providerRecordId, userId }: TokenRecord): void {
  const { tokens } = mock.state;
  for (const token of tokens.find({ edition, tenantId, providerRecordId, userId, isDefault: true })) {
    if (token.id !== id) tokens.put({ ...token, isDefault: false });
  }
}

/** Changes a token's label, or which one is the default. */
export function updateToken(
  mock: Mock,
  token: TokenRecord,
  accountLabel: string | null | undefined,
  isDefault: boolean | null | undefined,
): TokenRecord {
  const updated = {
    ...token,
    accountLabel: accountLabel ?? token.accountLabel,
    isDefault: isDefault ?? token.isDefault,
    updatedAt: mock.clock.now(),
  };
  mock.state.transaction(() => {
    if (isDefault === true) clearDefault(mock, token);
    mock.state.tokens.put(updated);
  });
  return updated;
}

export function isExpired(mock: Mock, token: TokenRecord): boolean {
  return token.expiresAt !== null && token.expiresAt <= mock.clock.now();
}

/** A token that is valid now: itself, or renewed; `undefined` when it has expired and can't be renewed. One renewal at a time. */
export function usableToken(mock: Mock, provider: ProviderRecord, id: string): Promise<TokenRecord | undefined> {
  return mock.locks.run(`token/${id}`, async () => {
    const token = mock.state.tokens.get(id);
    if (!token || !isExpired(mock, token)) return token;
    if (token.refreshToken === null) return undefined;
    try {
      const issued = await refresh(mock, provider, token.refreshToken);
      const renewed: TokenRecord = {
        ...token,
        accessToken: issued.accessToken,
        refreshToken: issued.refreshToken ?? token.refreshToken,
        expiresAt: issued.expiresAt,
        scopes: issued.scopes ?? token.scopes,
        updatedAt: mock.clock.now(),
      };
      mock.state.tokens.put(renewed);
      return renewed;
    } catch (error) {
      if (error instanceof OutboundError) return undefined;
      throw error;
    }
  });
}

/** Forgets tokens and the connections that use them, after telling the provider. */
export async function deleteTokens(mock: Mock, tokens: readonly TokenRecord[]): Promise<void> {
  const { state } = mock;
  for (const token of tokens) {
    const provider = state.providers.get(token.providerRecordId);
    await revoke(mock, provider, token.refreshToken ?? token.accessToken);
    state.transaction(() => {
      state.tokens.remove(token.id);
      for (const { id } of state.connections.find({ tokenId: token.id })) state.connections.remove(id);
    });
  }
}

/** A token as it is sent: without the token itself. */
export function viewToken(token: TokenRecord, providerId: string): TokenBody {
  return {
    id: token.id,
    provider_id: providerId,
    provider_account_label: token.accountLabel,
    scopes: token.scopes,
    expires_at: token.expiresAt === null ? null : new Date(token.expiresAt).toISOString(),
    is_default: token.isDefault,
    created_at: new Date(token.createdAt).toISOString(),
    updated_at: new Date(token.updatedAt).toISOString(),
  };
}
