import { createMemoryCollections } from "./memory-collections.ts";
import { MemoryDeployments } from "./memory-deployments.ts";
import { MemoryRevisions } from "./memory-revisions.ts";
import type { CommitRepository, State } from "./repositories.ts";

/** A state that lives as long as the process. Nothing in it waits, so each call is atomic. */
export function createMemoryState(): State {
  const revisions = new MemoryRevisions();
  const deployments = new MemoryDeployments(revisions);
  const commits = new MemoryCommits();
  const collections = createMemoryCollections();
  let sequence = 0;
  const state: State = {
    deployments,
    revisions,
    commits,
    collections: collections.byName,
    nextSequence: () => ++sequence,
    async clear() {
      deployments.clear();
      revisions.clear();
      commits.clear();
      collections.clear();
    },
    async content() {
      return structuredClone({
        sequence,
        deployments: await deployments.all(),
        revisions: revisions.all(),
        commits: commits.all(),
        collections: collections.content(),
      });
    },
    async replace(content) {
      await state.clear();
      const copy = structuredClone(content);
      sequence = Math.max(sequence, copy.sequence);
      for (const record of copy.deployments.toSorted(bySequence)) deployments.add(record);
      for (const record of copy.revisions.toSorted(bySequence)) revisions.add(record);
      for (const { repository, ref, commit } of copy.commits) await commits.set(repository, ref, commit);
      collections.replace(copy.collections);
    },
  };
  return state;
}

const bySequence = (a: { sequence: number }, b: { sequence: number }) => a.sequence - b.sequence;

class MemoryCommits implements CommitRepository {
  readonly #commits = new Map<string, string>();

  async get(repository: string, ref: string): Promise<string | undefined> {
    return this.#commits.get(`${repository}\n${ref}`);
  }

  async set(repository: string, ref: string, commit: string): Promise<void> {
    this.#commits.set(`${repository}\n${ref}`, commit);
  }

  all(): { repository: string; ref: string; commit: string }[] {
    return [...this.#commits].map(([key, commit]) => {
      const [repository = "", ref = ""] = key.split("\n");
      return { repository, ref, commit };
    });
  }

  clear(): void {
    this.#commits.clear();
  }
}
