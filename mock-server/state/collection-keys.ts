import type { Edition } from "./records.ts";
import type { CollectionRecords } from "./repositories.ts";

interface Scope {
  edition: Edition;
  tenantId: string;
}

/** The key of what belongs to a workspace of an edition, and, of that, to each of `parts`. */
export function scopedKey({ edition, tenantId }: Scope, ...parts: string[]): string {
  return [edition, tenantId, ...parts].join("\n");
}

/** Where integrations are that every workspace has. */
export const everyWorkspace = "";

type KeysOf<Entry> = Readonly<Record<string, (record: Entry) => string | readonly string[]>>;

/** The indexes of each collection, and the keys under which a record is found in them. */
export const collectionKeys = {
  integrations: { workspace: ({ tenantId }) => tenantId ?? everyWorkspace },
  listeners: {
    workspace: ({ tenantId }) => tenantId,
    computeId: ({ tenantId, computeId }) => `${tenantId}\n${computeId}`,
  },
  uploads: { deployment: ({ deploymentId }) => deploymentId },
  providers: {
    workspace: (record) => scopedKey(record),
    name: (record) => scopedKey(record, record.providerId),
    type: (record) => scopedKey(record, record.providerType ?? record.providerId),
  },
  tokens: {
    provider: (record) => scopedKey(record, record.providerRecordId),
    /** A token belongs to the user and to the caller who asked for it. */
    owner: (record) => [scopedKey(record, record.userId), scopedKey(record, record.createdBy)],
    providerAndOwner: (record) => [
      scopedKey(record, record.providerRecordId, record.userId),
      scopedKey(record, record.providerRecordId, record.createdBy),
    ],
    providerAndUser: (record) => scopedKey(record, record.providerRecordId, record.userId),
    default: (record) => (record.isDefault ? scopedKey(record, record.providerRecordId, record.userId) : []),
  },
  authSessions: {},
  connections: {
    agent: (record) => scopedKey(record, record.agentId),
    token: ({ tokenId }) => tokenId,
  },
  oauthClients: {},
  oauthCodes: {},
  oauthGrants: {
    accessToken: ({ accessToken }) => accessToken,
    /** The newest one and those that have been used. */
    refreshToken: ({ refreshToken, spentRefreshTokens }) => [refreshToken, ...spentRefreshTokens],
  },
} as const satisfies { [Name in keyof CollectionRecords]: KeysOf<CollectionRecords[Name]> };

/** The names of a collection's indexes. */
export type CollectionIndex<Name extends keyof CollectionRecords> = keyof (typeof collectionKeys)[Name] & string;
