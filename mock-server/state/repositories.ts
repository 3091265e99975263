import type { DeploymentRecord, Edition, RevisionRecord } from "./records.ts";

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

/** All that a mock server remembers of its control planes. */
export interface State {
  deployments: DeploymentRepository;
  revisions: RevisionRepository;
  commits: CommitRepository;
  /** A number greater than any given out before. */
  nextSequence(): Promise<number>;
  clear(): Promise<void>;
}
