import { createMemoryCollections } from "./memory-collections.ts";
import { MemoryDeployments } from "./memory-deployments.ts";
import { MemoryRevisions } from "./memory-revisions.ts";
import type { CommitRepository, State, StateContent } from "./repositories.ts";
import { changesOf, commitChange, type StateKeeper } from "./state-keeper.ts";

/**
 * A state in the memory of the process; with a keeper, it begins with what that has kept, and goes on in it. Nothing in it waits, so each call is
 * atomic.
 */
export function createMemoryState(keeper?: StateKeeper): State {
  const parts = createParts(keeper);
  const { deployments, revisions, commits, collections, empty } = parts;
  let sequence = 0;
  const fill = (content: StateContent) => {
    parts.fill(content);
    sequence = Math.max(sequence, content.sequence);
  };
  if (keeper) fill(keeper.content());
  return {
    deployments,
    revisions,
    commits,
    collections: collections.byName,
    nextSequence: () => ++sequence,
    clear() {
      keeper?.replaceWith([]);
      empty();
    },
    content() {
      return structuredClone({
        sequence,
        deployments: deployments.all(),
        revisions: revisions.all(),
        commits: commits.all(),
        collections: collections.content(),
      });
    },
    together(work) {
      if (!keeper) return work();
      try {
        return keeper.together(work);
      } catch (error) {
        empty();
        fill(keeper.content());
        throw error;
      }
    },
    replace(content) {
      const copy = structuredClone(content);
      // What can't be taken is found out before anything is given up.
      createParts(undefined).fill(copy);
      keeper?.replaceWith(changesOf(copy));
      empty();
      fill(copy);
    },
  };
}

/** The repositories, and what is done to all of them at once. */
function createParts(keeper: StateKeeper | undefined) {
  const revisions = new MemoryRevisions(keeper);
  const deployments = new MemoryDeployments(revisions, keeper);
  const commits = new MemoryCommits(keeper);
  const collections = createMemoryCollections(keeper);
  return {
    revisions,
    deployments,
    commits,
    collections,
    empty() {
      deployments.clear();
      revisions.clear();
      commits.clear();
      collections.clear();
    },
    fill(content: StateContent) {
      for (const record of content.deployments.toSorted(bySequence)) deployments.add(record);
      for (const record of content.revisions.toSorted(bySequence)) revisions.add(record);
      for (const { repository, ref, commit } of content.commits) commits.add(repository, ref, commit);
      collections.fill(content.collections);
    },
  };
}

const bySequence = (a: { sequence: number }, b: { sequence: number }) => a.sequence - b.sequence;

/** By repository and ref, which are found without being put together first. */
class MemoryCommits implements CommitRepository {
  readonly #refs = new Map<string, Map<string, string>>();
  readonly #keeper: StateKeeper | undefined;

  constructor(keeper: StateKeeper | undefined) {
    this.#keeper = keeper;
  }

  get(repository: string, ref: string): string | undefined {
    return this.#refs.get(repository)?.get(ref);
  }

  set(repository: string, ref: string, commit: string): void {
    this.#keeper?.write(commitChange({ repository, ref, commit }));
    this.add(repository, ref, commit);
  }

  /** Takes what is kept already. */
  add(repository: string, ref: string, commit: string): void {
    const refs = this.#refs.get(repository);
    if (refs) refs.set(ref, commit);
    else this.#refs.set(repository, new Map([[ref, commit]]));
  }

  all(): StateContent["commits"] {
    return [...this.#refs].flatMap(([repository, refs]) =>
      [...refs].map(([ref, commit]) => ({ repository, ref, commit })),
    );
  }

  clear(): void {
    this.#refs.clear();
  }
}
