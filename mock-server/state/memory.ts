import { createMemoryCollections } from "./memory-collections.ts";
import type { DeploymentRecord, Edition, RevisionRecord } from "./records.ts";
import type { CommitRepository, DeploymentRepository, PageQuery, RevisionRepository, State } from "./repositories.ts";

/** A state that lives as long as the process. Nothing in it waits, so each call is atomic. */
export function createMemoryState(): State {
  const deployments = new MemoryDeployments();
  const revisions = new MemoryRevisions();
  const commits = new MemoryCommits();
  const collections = createMemoryCollections();
  let sequence = 0;
  const state: State = {
    deployments,
    revisions,
    commits,
    collections: collections.byName,
    nextSequence: async () => ++sequence,
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
      for (const record of copy.deployments) await deployments.insert(record, () => true);
      for (const record of copy.revisions) await revisions.insert(record);
      for (const { repository, ref, commit } of copy.commits) await commits.set(repository, ref, commit);
      collections.replace(copy.collections);
    },
  };
  return state;
}

/** Entries in the order of their sequence, found by binary search. */
class OrderedEntries<Entry extends { sequence: number }> {
  readonly entries: Entry[] = [];

  add(entry: Entry): void {
    if (entry.sequence > (this.entries.at(-1)?.sequence ?? -1)) this.entries.push(entry);
    else this.entries.splice(this.#position(entry.sequence), 0, entry);
  }

  replace(entry: Entry): void {
    this.entries[this.#position(entry.sequence)] = entry;
  }

  remove(entry: Entry): void {
    this.entries.splice(this.#position(entry.sequence), 1);
  }

  page({ accept, offset, limit }: PageQuery<Entry>): Entry[] {
    const found: Entry[] = [];
    let skipped = 0;
    for (let index = this.entries.length - 1; index >= 0 && found.length < limit; index--) {
      const entry = this.entries[index] as Entry;
      if (!accept(entry)) continue;
      if (skipped < offset) skipped++;
      else found.push(entry);
    }
    return found;
  }

  #position(sequence: number): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.entries[middle] as Entry).sequence < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

class MemoryDeployments implements DeploymentRepository {
  readonly #byId = new Map<string, DeploymentRecord>();
  readonly #idByName = new Map<string, string>();
  readonly #byWorkspace = new Map<string, OrderedEntries<DeploymentRecord>>();

  async insert(record: DeploymentRecord, isGone: (other: DeploymentRecord) => boolean): Promise<boolean> {
    const key = nameKey(record.edition, record.tenantId, record.name);
    const holder = this.#byId.get(this.#idByName.get(key) ?? "");
    if (holder && !isGone(holder)) return false;
    this.#byId.set(record.id, record);
    this.#idByName.set(key, record.id);
    const workspace = workspaceKey(record.edition, record.tenantId);
    let entries = this.#byWorkspace.get(workspace);
    if (!entries) {
      entries = new OrderedEntries();
      this.#byWorkspace.set(workspace, entries);
    }
    entries.add(record);
    return true;
  }

  async get(id: string): Promise<DeploymentRecord | undefined> {
    return this.#byId.get(id);
  }

  async findByName(edition: Edition, tenantId: string, name: string): Promise<DeploymentRecord | undefined> {
    return this.#byId.get(this.#idByName.get(nameKey(edition, tenantId, name)) ?? "");
  }

  async update(record: DeploymentRecord): Promise<void> {
    if (!this.#byId.has(record.id)) return;
    this.#byId.set(record.id, record);
    this.#byWorkspace.get(workspaceKey(record.edition, record.tenantId))?.replace(record);
  }

  async remove(id: string): Promise<void> {
    const record = this.#byId.get(id);
    if (!record) return;
    this.#byId.delete(id);
    this.#byWorkspace.get(workspaceKey(record.edition, record.tenantId))?.remove(record);
    const key = nameKey(record.edition, record.tenantId, record.name);
    if (this.#idByName.get(key) === id) this.#idByName.delete(key);
  }

  async page(edition: Edition, tenantId: string, query: PageQuery<DeploymentRecord>): Promise<DeploymentRecord[]> {
    return this.#byWorkspace.get(workspaceKey(edition, tenantId))?.page(query) ?? [];
  }

  async all(): Promise<DeploymentRecord[]> {
    return [...this.#byId.values()];
  }

  clear(): void {
    this.#byId.clear();
    this.#idByName.clear();
    this.#byWorkspace.clear();
  }
}

class MemoryRevisions implements RevisionRepository {
  readonly #byId = new Map<string, RevisionRecord>();
  readonly #byDeployment = new Map<string, OrderedEntries<RevisionRecord>>();

  async insert(record: RevisionRecord): Promise<void> {
    this.#byId.set(record.id, record);
    let entries = this.#byDeployment.get(record.deploymentId);
    if (!entries) {
      entries = new OrderedEntries();
      this.#byDeployment.set(record.deploymentId, entries);
    }
    entries.add(record);
  }

  async get(id: string): Promise<RevisionRecord | undefined> {
    return this.#byId.get(id);
  }

  async update(record: RevisionRecord): Promise<void> {
    if (!this.#byId.has(record.id)) return;
    this.#byId.set(record.id, record);
    this.#byDeployment.get(record.deploymentId)?.replace(record);
  }

  async removeOf(deploymentId: string): Promise<void> {
    for (const { id } of this.#byDeployment.get(deploymentId)?.entries ?? []) this.#byId.delete(id);
    this.#byDeployment.delete(deploymentId);
  }

  async page(deploymentId: string, query: PageQuery<RevisionRecord>): Promise<RevisionRecord[]> {
    return this.#byDeployment.get(deploymentId)?.page(query) ?? [];
  }

  all(): RevisionRecord[] {
    return [...this.#byId.values()];
  }

  clear(): void {
    this.#byId.clear();
    this.#byDeployment.clear();
  }
}

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

const workspaceKey = (edition: Edition, tenantId: string) => `${edition}\n${tenantId}`;
const nameKey = (edition: Edition, tenantId: string, name: string) => `${edition}\n${tenantId}\n${name}`;
