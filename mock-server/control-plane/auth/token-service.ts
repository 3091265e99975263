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

  /** The tokens that a query is for, the default ones first and then the newest. */
  list(query: Omit<TokenQuery, keyof Tenancy>): TokenRecord[] {
    return this.#options.store.tokens.list({ ...query, ...this.#tenancy });
  }

  get(id: string): TokenRecord | undefined {
    return this.#tokens.get(id);
  }

  /** A token to use, whoever owns it. @throws {HttpError} 404 */
  find(id: string): TokenRecord {
    const token = this.get(id);
    if (!token) throw tokenNotFound(id);
    return token;
  }

  /** A token to manage. @throws {HttpError} 404 unless the caller owns it. */
  findOwn(caller: string, id: string): TokenRecord {
    const token = this.find(id);
    if (!isOwnedBy(token, caller)) throw tokenNotFound(id);
    return token;
  }

  /** Stores what an authentication came to; a user's first token for a provider is the default one in any case. */
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

  /** Changes a token's label, or which one is the default. @throws {HttpError} 404 unless the caller owns the token. */
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

  /** A token that is valid now: itself, or renewed; `undefined` when it has expired and can't be renewed. One renewal at a time. */
  usable(provider: ProviderRecord, id: string): Promise<TokenRecord | undefined> {
    const { clock } = this.#options;
    return this.#inTurn(id, async () => {
      const token = this.get(id);
      if (!token || token.expiresAt === null || token.expiresAt > clock.now()) return token;
      if (token.refreshToken === null) return undefined;
      try {
        const issued = await refresh(this.#options, provider, token.refreshToken);
        // Another token may have become the default one meanwhile.
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

  /** Removes tokens and the connections that use them, after revoking them at their providers. */
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

  /** A token as it is sent: without the token itself. */
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

  /** Leaves no default token of a user for a provider. */
  #clearDefault({ providerRecordId, userId }: Pick<TokenRecord, "providerRecordId" | "userId">): void {
    for (const token of this.#tokens.find({ providerRecordId, userId, isDefault: true })) {
      this.#tokens.put({ ...token, isDefault: false });
    }
  }
}

export function tokenNotFound(id: string): HttpError {
  return new HttpError(404, `Token ID ${id} not found.`);
}

/** A user's token belongs to the user and to the caller who asked for it. */
export function isOwnedBy(token: TokenRecord, caller: string): boolean {
  return token.userId === caller || token.createdBy === caller;
}
