import { HttpError } from "../../kit/http/http-error.ts";
import { OutboundError } from "../../kit/outbound.ts";
import { timestamp } from "../../kit/timestamp.ts";
import type { AuthSessionRecord, ProviderRecord, TokenRecord } from "../store/auth-records.ts";
import type { TokenQuery } from "../store/auth-tables.ts";
import { TenantTable } from "../store/tenant-table.ts";
import type { Tenancy } from "../tenancy.ts";
import type { AuthOptions } from "./auth-options.ts";
import type { TokenBody } from "./auth-schemas.ts";
import { type IssuedToken, refresh, revoke } from "./token-endpoint.ts";

export type TokenServiceOptions = Pick<AuthOptions, "store" | "clock" | "ids" | "redaction" | "outbound" | "locks">;

/** The tokens of one tenancy. */
export class TokenService {
  readonly #options: TokenServiceOptions;
  readonly #tenancy: Tenancy;
  readonly #tokens: TenantTable<TokenRecord, Tenancy>;
  readonly #providers: TenantTable<ProviderRecord, Tenancy>;

  constructor(options: TokenServiceOptions, tenancy: Tenancy) {
    this.#options = options;
    this.#tenancy = tenancy;
    this.#tokens = new TenantTable(options.store.tokens, tenancy);
    this.#providers = new TenantTable(options.store.providers, tenancy);
  }

  /** The matching tokens: default ones first, then newest first. */
  list(query: Omit<TokenQuery, keyof Tenancy>): TokenRecord[] {
    return this.#options.store.tokens.list({ ...query, ...this.#tenancy });
  }

  get(id: string): TokenRecord | undefined {
    return this.#tokens.get(id);
  }

  /** A token to use, whoever owns it. @throws {HttpError} 404 for an unknown token. */
  find(id: string): TokenRecord {
    const token = this.get(id);
    if (!token) throw tokenNotFound(id);
    return token;
  }

  /** A token to manage. @throws {HttpError} 404 when the caller doesn't own it. */
  findOwn(caller: string, id: string): TokenRecord {
    const token = this.find(id);
    if (!isOwnedBy(token, caller)) throw tokenNotFound(id);
    return token;
  }

  /** Stores the token of an authentication. A user's first token for a provider always becomes the default. */
  store(session: AuthSessionRecord, issued: IssuedToken): TokenRecord {
    const { store, clock, ids } = this.#options;
    const now = clock.now();
    const { providerRecordId, userId, createdBy } = session;
    const isDefault = session.isDefault || !this.#tokens.hasAny({ providerRecordId, userId });
    return store.transaction(() => {
      if (isDefault) this.#clearDefault(session);
      return this.#tokens.put({
        id: ids.uuid(),
        providerRecordId,
        userId,
        createdBy,
        accountLabel: null,
        scopes: issued.scopes ?? session.scopes,
        accessToken: issued.accessToken,
        refreshToken: issued.refreshToken,
        expiresAt: issued.expiresAt,
        isDefault,
        createdAt: now,
        updatedAt: now,
      });
    });
  }

  /** Changes a token's label, or makes it the default. @throws {HttpError} 404 when the caller doesn't own it. */
  update(
    caller: string,
    id: string,
    accountLabel: string | null | undefined,
    isDefault: boolean | null | undefined,
  ): Promise<TokenRecord> {
    const { store, clock } = this.#options;
    return this.#inTurn(id, async () => {
      const token = this.findOwn(caller, id);
      return store.transaction(() => {
        if (isDefault === true) this.#clearDefault(token);
        return this.#tokens.put({
          ...token,
          accountLabel: accountLabel ?? token.accountLabel,
          isDefault: isDefault ?? token.isDefault,
          updatedAt: clock.now(),
        });
      });
    });
  }

  /** A token, renewed if it has expired; `undefined` when it can't be renewed. Concurrent calls share one renewal. */
  usable(provider: ProviderRecord, id: string): Promise<TokenRecord | undefined> {
    const { clock } = this.#options;
    return this.#inTurn(id, async () => {
      const token = this.get(id);
      if (!token || token.expiresAt === null || token.expiresAt > clock.now()) return token;
      if (token.refreshToken === null) return undefined;
      try {
        const issued = await refresh(this.#options, provider, token.refreshToken);
        // Another token may have become the default in the meantime.
        const current = this.get(id);
        if (!current) return undefined;
        return this.#tokens.put({
          ...current,
          accessToken: issued.accessToken,
          refreshToken: issued.refreshToken ?? current.refreshToken,
          expiresAt: issued.expiresAt,
          scopes: issued.scopes ?? current.scopes,
          updatedAt: clock.now(),
        });
      } catch (error) {
        if (error instanceof OutboundError) return undefined;
        throw error;
      }
    });
  }

  /** Revokes tokens at their providers, then removes them with their connections. */
  async remove(tokens: readonly TokenRecord[]): Promise<void> {
    const { store } = this.#options;
    for (const { id } of tokens) {
      await this.#inTurn(id, async () => {
        const token = this.get(id);
        if (!token) return;
        const provider = this.#providers.get(token.providerRecordId);
        await revoke(this.#options, provider, token.refreshToken ?? token.accessToken);
        store.transaction(() => {
          this.#tokens.remove(id);
          for (const connection of store.connections.find({ tokenId: id })) store.connections.remove(connection.id);
        });
      });
    }
  }

  /** A token as clients see it: without its value. */
  view(token: TokenRecord): TokenBody {
    return {
      id: token.id,
      provider_id: this.#providers.get(token.providerRecordId)?.providerId ?? token.providerRecordId,
      provider_account_label: token.accountLabel,
      scopes: token.scopes,
      expires_at: token.expiresAt === null ? null : timestamp(token.expiresAt),
      is_default: token.isDefault,
      created_at: timestamp(token.createdAt),
      updated_at: timestamp(token.updatedAt),
    };
  }

  #inTurn<Result>(id: string, change: () => Promise<Result>): Promise<Result> {
    return this.#options.locks.run(`token/${id}`, change);
  }

  /** Clears the default of a user's tokens for a provider. */
  #clearDefault({ providerRecordId, userId }: Pick<TokenRecord, "providerRecordId" | "userId">): void {
    for (const token of this.#tokens.find({ providerRecordId, userId, isDefault: true })) {
      this.#tokens.put({ ...token, isDefault: false });
    }
  }
}

export function tokenNotFound(id: string): HttpError {
  return new HttpError(404, `Token ID ${id} not found.`);
}

/** Whether a caller owns a token: both the user and the caller who requested it do. */
export function isOwnedBy(token: TokenRecord, caller: string): boolean {
  return token.userId === caller || token.createdBy === caller;
}
