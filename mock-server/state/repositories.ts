import type {
  AuthSessionRecord,
  ConnectionRecord,
  OAuthClientRecord,
  OAuthCodeRecord,
  OAuthGrantRecord,
  ProviderRecord,
  TokenRecord,
} from "./auth-records.ts";
import type { CollectionIndex } from "./collection-keys.ts";
import type {
  DeploymentRecord,
  Edition,
  IntegrationRecord,
  ListenerRecord,
  RevisionRecord,
  UploadRecord,
} from "./records.ts";

/** Which part of an ordered listing to read, newest first. */
export interface PageQuery {
  offset: number;
  limit: number;
}

/** Which deployments of a workspace to list. What is absent lets everything through; those that are gone `now` are never listed. */
export interface DeploymentQuery extends PageQuery {
  /** Milliseconds since the epoch: statuses depend on it. */
  now: number;
  name?: string | undefined;
  nameContains?: string | undefined;
  ids?: ReadonlySet<string> | undefined;
  /** One of them is enough, as of the tag values. */
  statuses?: ReadonlySet<string> | undefined;
  tagValueIds?: ReadonlySet<string> | undefined;
  deploymentType?: string | undefined;
  imageVersion?: string | undefined;
  isRemoteReconciled?: boolean | undefined;
  listenerId?: string | undefined;
}

/** Which revisions of a deployment to list. What is absent lets everything through. */
export interface RevisionQuery extends PageQuery {
  /** Milliseconds since the epoch: statuses depend on it. */
  now: number;
  statuses?: ReadonlySet<string> | undefined;
}

/** The deployments. Records handed out are not to be changed: `update` stores a changed copy, whose edition, workspace, name and sequence stay the same. */
export interface DeploymentRepository {
  /** Stores a new deployment with its first revision; neither where `isGone` is false for one of the same edition, workspace and name: then `false`. Atomic. */
  insert(record: DeploymentRecord, first: RevisionRecord, isGone: (other: DeploymentRecord) => boolean): boolean;
  get(id: string): DeploymentRecord | undefined;
  findByName(edition: Edition, tenantId: string, name: string): DeploymentRecord | undefined;
  update(record: DeploymentRecord): void;
  /** Removes a deployment with its revisions. Atomic. */
  remove(id: string): void;
  page(edition: Edition, tenantId: string, query: DeploymentQuery): DeploymentRecord[];
  /** Those of every workspace that build on pushes to this ref, oldest first. Repository and ref are in their normal forms. */
  buildingFrom(repository: string, ref: string): DeploymentRecord[];
  /** Every deployment of every workspace, oldest first. */
  all(): DeploymentRecord[];
}

/** The revisions of all deployments. */
export interface RevisionRepository {
  insert(record: RevisionRecord): void;
  get(id: string): RevisionRecord | undefined;
  update(record: RevisionRecord): void;
  page(deploymentId: string, query: RevisionQuery): RevisionRecord[];
}

/** Where the branches and tags of repositories stand, as far as they were moved by a push. */
export interface CommitRepository {
  get(repository: string, ref: string): string | undefined;
  set(repository: string, ref: string, commit: string): void;
}

/** Records of one kind, found by their id or by the keys that {@link collectionKeys} gives them. Records handed out are not to be changed. */
export interface Collection<Entry extends { id: string }, Index extends string> {
  get(id: string): Entry | undefined;
  /** Stores a record, in the place of one with the same id. */
  put(record: Entry): void;
  remove(id: string): void;
  /** All records, oldest first. */
  all(): Entry[];
  /** Those that one of the keys leads to, oldest first. */
  findBy(index: Index, ...keys: string[]): Entry[];
  /** Whether a key leads to any. */
  hasBy(index: Index, key: string): boolean;
  /** A page of those that a key leads to, newest first. */
  pageBy(index: Index, key: string, query: PageQuery): Entry[];
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
export type Collections = {
  [Name in keyof CollectionRecords]: Collection<CollectionRecords[Name], CollectionIndex<Name>>;
};

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
  content(): StateContent;
  /** Keeps all the changes that `work` makes, or, when it throws or they can't be kept, none of them. Without a data directory it is just called. */
  together<Result>(work: () => Result): Result;
  /** Puts `content` in the place of everything. @throws what is wrong with a content that can't be taken: then everything is as it was. */
  replace(content: StateContent): void;
  /** A number greater than any given out before. */
  nextSequence(): number;
  clear(): void;
}
