import { HttpError } from "../../kit/http/http-error.ts";
import type { Mock } from "../../mock.ts";
import type { Scope } from "../deployments/deployment-model.ts";
import type { ConnectionRecord } from "../store/auth-records.ts";
import type { ConnectionBody } from "./auth-schemas.ts";

/** The connections of an agent, oldest first. */
export function connectionsOf(mock: Mock, { edition, tenantId }: Scope, agentId: string): ConnectionRecord[] {
  return mock.state.connections.find({ edition, tenantId, agentId });
}

export function connectedTokenIds(mock: Mock, scope: Scope, agentId: string): Set<string> {
  return new Set(connectionsOf(mock, scope, agentId).map(({ tokenId }) => tokenId));
}

/** Lets an agent use a token; a connection that exists already is returned as it is. */
export function connect(
  mock: Mock,
  { edition, tenantId }: Scope,
  agentId: string,
  tokenId: string,
  createdBy: string,
): ConnectionRecord {
  const known = connectionsOf(mock, { edition, tenantId }, agentId);
  const present = known.find((record) => record.tokenId === tokenId);
  if (present) return present;
  const record = { id: mock.ids.uuid(), edition, tenantId, agentId, tokenId, createdBy, createdAt: mock.clock.now() };
  mock.state.connections.put(record);
  return record;
}

/** @throws {HttpError} 404 unless the agent has the connection. */
export function disconnect(mock: Mock, scope: Scope, agentId: string, id: string): void {
  const record = mock.state.connections.get(id);
  const isIts = record?.agentId === agentId && record.tenantId === scope.tenantId && record.edition === scope.edition;
  if (!isIts) throw new HttpError(404, `Connection ID ${id} not found.`);
  mock.state.connections.remove(id);
}

/** A connection as it is sent; `undefined` once its token or provider is gone. */
export function viewConnection(mock: Mock, record: ConnectionRecord): ConnectionBody | undefined {
  const token = mock.state.tokens.get(record.tokenId);
  const provider = token && mock.state.providers.get(token.providerRecordId);
  if (!token || !provider) return undefined;
  return {
    id: record.id,
    agent_id: record.agentId,
    oauth_token_id: token.id,
    provider_id: provider.providerId,
    provider_account_label: token.accountLabel,
    scopes: token.scopes,
    expires_at: token.expiresAt === null ? null : new Date(token.expiresAt).toISOString(),
    created_by: record.createdBy,
    created_at: new Date(record.createdAt).toISOString(),
  };
}
