import type { DeploymentRecord, RevisionRecord } from "./records.ts";
import type { CollectionRecords, StateContent } from "./repositories.ts";

/** Which records there are, by the names that they have in {@link StateContent}. */
export type RecordKind = "deployments" | "revisions" | "commits" | keyof CollectionRecords;

/** A record that is put in the place of what has its id. */
interface Put {
  kind: RecordKind;
  id: string;
  /** The record that it belongs to. */
  parent?: string;
  value: unknown;
}

/** A record that is removed, and with it those of the kinds `without` that belong to it. */
interface Removal {
  kind: RecordKind;
  id: string;
  without?: readonly RecordKind[];
}

export type StateChange = Put | Removal;

/** What keeps a state beyond the process. It is told of a change before anything else sees it; when it throws, there is no change. */
export interface StateKeeper {
  /** What was kept so far. */
  content(): StateContent;
  /** Keeps all of the changes, or none. */
  write(...changes: readonly StateChange[]): void;
  /** Keeps all that `work` writes, or, when it throws, nothing of it. */
  together<Result>(work: () => Result): Result;
  /** Keeps these, and nothing of what was there before. */
  replaceWith(changes: Iterable<StateChange>): void;
}

export const deploymentChange = (record: DeploymentRecord): StateChange => ({
  kind: "deployments",
  id: record.id,
  value: record,
});

export const revisionChange = (record: RevisionRecord): StateChange => ({
  kind: "revisions",
  id: record.id,
  parent: record.deploymentId,
  value: record,
});

/** A ref of a repository, both in their normal forms, and the commit that it was moved to. */
export const commitChange = (moved: StateContent["commits"][number]): StateChange => ({
  kind: "commits",
  id: `${moved.repository}\n${moved.ref}`,
  value: moved,
});

export const recordChange = (kind: keyof CollectionRecords, record: { id: string }): StateChange => ({
  kind,
  id: record.id,
  value: record,
});

/** The changes that make all of a state. */
export function* changesOf({ deployments, revisions, commits, collections }: StateContent): Iterable<StateChange> {
  for (const record of deployments) yield deploymentChange(record);
  for (const record of revisions) yield revisionChange(record);
  for (const moved of commits) yield commitChange(moved);
  for (const [kind, records] of Object.entries(collections)) {
    for (const record of records) yield recordChange(kind as keyof CollectionRecords, record);
  }
}
