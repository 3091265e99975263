import type {
  AuthSessionRecord,
  ConnectionRecord,
  OAuthClientRecord,
  OAuthCodeRecord,
  OAuthGrantRecord,
  ProviderRecord,
  TokenRecord,
} from "./auth-records.ts";
import type { MovedRef } from "./commits.ts";
import type { DeploymentRecord, IntegrationRecord, ListenerRecord, RevisionRecord, UploadRecord } from "./records.ts";

/** The content of a store, as in snapshots. */
export interface StoreContent {
  sequence: number;
  deployments: DeploymentRecord[];
  revisions: RevisionRecord[];
  commits: MovedRef[];
  collections: {
    integrations: IntegrationRecord[];
    listeners: ListenerRecord[];
    uploads: UploadRecord[];
    providers: ProviderRecord[];
    tokens: TokenRecord[];
    authSessions: AuthSessionRecord[];
    connections: ConnectionRecord[];
    oauthClients: OAuthClientRecord[];
    oauthCodes: OAuthCodeRecord[];
    oauthGrants: OAuthGrantRecord[];
  };
}
