import type {
  AuthSessionRecord,
  ConnectionRecord,
  OAuthClientRecord,
  OAuthCodeRecord,
  OAuthGrantRecord,
  ProviderRecord,
  TokenRecord,
} from "./auth-records.ts";
import type {
  DeploymentRecord,
  Edition,
  IntegrationRecord,
  ListenerRecord,
  RevisionRecord,
  UploadRecord,
} from "./records.ts";

/** Which part of an ordered listing to read, newest first. */
export interface PageQuery<Entry> {
  accept(entry: Entry): boolean;
  offset: number;
  limit: number;
}

/** The deployments. Records handed out are not to be changed: `update` stores a changed copy. */
export interface DeploymentRepository {
  /** Stores a new deployment, unless `isGone` is false for one of the same edition, workspace and name: then `false`. Atomic. */
  insert(record: DeploymentRecord, isGone: (other: DeploymentRecord) => boolean): Promise<boolean>;
  get(id: string): Promise<DeploymentRecord | undefined>;
  findByName(edition: Edition, tenantId: string, name: string): Promise<DeploymentRecord | undefined>;
  update(record: DeploymentRecord): Promise<void>;
  remove(id: string): Promise<void>;
  page(edition: Edition, tenantId: string, query: PageQuery<DeploymentRecord>): Promise<DeploymentRecord[]>;
  /** Every deployment of every workspace, oldest first. */
  all(): Promise<DeploymentRecord[]>;
}

/** The revisions of all deployments. */
export interface RevisionRepository {
  insert(record: RevisionRecord): Promise<void>;
  get(id: string): Promise<RevisionRecord | undefined>;
  update(record: RevisionRecord): Promise<void>;
  removeOf(deploymentId: string): Promise<void>;
  page(deploymentId: string, query: PageQuery<RevisionRecord>): Promise<RevisionRecord[]>;
}

/** Where the branches and tags of repositories stand, as far as they were moved by a push. */
export interface CommitRepository {
  get(repository: string, ref: string): Promise<string | undefined>;
  set(repository: string, ref: string, commit: string): Promise<void>;
}

/** Records of one kind, few enough to be looked through. Records handed out are not to be changed. */
export interface Collection<Entry extends { id: string }> {
  get(id: string): Promise<Entry | undefined>;
  /** Stores a record, in the place of one with the same id. */
  put(record: Entry): Promise<void>;
  remove(id: string): Promise<void>;
  /** Those that are accepted, oldest first. */
  list(accept?: (record: Entry) => boolean): Promise<Entry[]>;
}

/** The records of each collection. */
export interface CollectionRecords {
  integrations: IntegrationRecord;
  listeners: ListenerRecord;
  uploads: UploadRecord;
  providers: ProviderRecord;
  tokens: TokenRecord;
  authSessions: AuthSessionRecord;
  connections: ConnectionRecord;
  oauthClients: OAuthClientRecord;
  oauthCodes: OAuthCodeRecord;
  oauthGrants: OAuthGrantRecord;
}
export type Collections = { [Name in keyof CollectionRecords]: Collection<CollectionRecords[Name]> };

/** Everything in a state, as plain data. */
export interface StateContent {
  sequence: number;
  deployments: DeploymentRecord[];
  revisions: RevisionRecord[];
  commits: { repository: string; ref: string; commit: string }[];
  collections: { [Name in keyof CollectionRecords]: CollectionRecords[Name][] };
}

/** All that a mock server remembers of its control planes. */
export interface State {
  deployments: DeploymentRepository;
  revisions: RevisionRepository;
  commits: CommitRepository;
  collections: Collections;
  /** A copy of everything. */
  content(): Promise<StateContent>;
  /** Puts `content` in the place of everything. */
  replace(content: StateContent): Promise<void>;
  /** A number greater than any given out before. */
  nextSequence(): Promise<number>;
  clear(): Promise<void>;
}
