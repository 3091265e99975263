import { HttpError } from "../../kit/http/http-error.ts";
import { timestamp } from "../../kit/timestamp.ts";
import type { ConnectionRecord, ProviderRecord, TokenRecord } from "../store/auth-records.ts";
import { TenantTable } from "../store/tenant-table.ts";
import type { Tenancy } from "../tenancy.ts";
import type { AuthOptions } from "./auth-options.ts";
import type { ConnectionBody } from "./auth-schemas.ts";

/** The connections of a tenancy: which agents may use which tokens. */
export class ConnectionService {
  readonly #options: Pick<AuthOptions, "clock" | "ids">;
  readonly #connections: TenantTable<ConnectionRecord, Tenancy>;
  readonly #tokens: TenantTable<TokenRecord, Tenancy>;
  readonly #providers: TenantTable<ProviderRecord, Tenancy>;

  constructor(options: Pick<AuthOptions, "store" | "clock" | "ids">, tenancy: Tenancy) {
    this.#options = options;
    this.#connections = new TenantTable(options.store.connections, tenancy);
    this.#tokens = new TenantTable(options.store.tokens, tenancy);
    this.#providers = new TenantTable(options.store.providers, tenancy);
  }

  /** The connections of an agent, oldest first. */
  list(agentId: string): ConnectionRecord[] {
    return this.#connections.find({ agentId });
  }

  /** Lets an agent use a token. Returns an existing connection unchanged. */
  connect(agentId: string, tokenId: string, createdBy: string): ConnectionRecord {
    const [present] = this.#connections.find({ agentId, tokenId });
    if (present) return present;
    const { clock, ids } = this.#options;
    return this.#connections.put({ id: ids.uuid(), agentId, tokenId, createdBy, createdAt: clock.now() });
  }

  /** @throws {HttpError} 404 when the agent doesn't have the connection. */
  disconnect(agentId: string, id: string): void {
    if (!this.#connections.hasAny({ id, agentId })) throw new HttpError(404, `Connection ID ${id} not found.`);
    this.#connections.remove(id);
  }

  /** A connection as clients see it; `undefined` after its token or provider was deleted. */
  view(record: ConnectionRecord): ConnectionBody | undefined {
    const token = this.#tokens.get(record.tokenId);
    const provider = token && this.#providers.get(token.providerRecordId);
    if (!token || !provider) return undefined;
    return {
      id: record.id,
      agent_id: record.agentId,
      oauth_token_id: token.id,
      provider_id: provider.providerId,
      provider_account_label: token.accountLabel,
      scopes: token.scopes,
      expires_at: token.expiresAt === null ? null : timestamp(token.expiresAt),
      created_by: record.createdBy,
      created_at: timestamp(record.createdAt),
    };
  }
}
