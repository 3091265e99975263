import { currentTransition } from "../control-plane/rollout.ts";
import { OrderedEntries } from "./ordered-entries.ts";
import type { RevisionRecord } from "./records.ts";
import type { RevisionQuery, RevisionRepository } from "./repositories.ts";
import { revisionChange, type StateKeeper } from "./state-keeper.ts";

/**
 * The revisions of a state that lives as long as the process. The lists of the deployments' revisions are brought up to date when somebody asks for one, as
 * few do who make revisions.
 */
export class MemoryRevisions implements RevisionRepository {
  readonly #byId = new Map<string, RevisionRecord>();
  readonly #byDeployment = new Map<string, OrderedEntries<RevisionRecord>>();
  /** Those that are in no list yet. */
  #unlisted: RevisionRecord[] = [];
  readonly #keeper: StateKeeper | undefined;

  constructor(keeper: StateKeeper | undefined) {
    this.#keeper = keeper;
  }

  insert(record: RevisionRecord): void {
    this.#keeper?.write(revisionChange(record));
    this.add(record);
  }

  /** Takes what is kept already. */
  add(record: RevisionRecord): void {
    this.#byId.set(record.id, record);
    this.#unlisted.push(record);
  }

  get(id: string): RevisionRecord | undefined {
    return this.#byId.get(id);
  }

  update(record: RevisionRecord): void {
    if (!this.#byId.has(record.id)) return;
    this.#keeper?.write(revisionChange(record));
    this.#byId.set(record.id, record);
    this.#listOf(record.deploymentId)?.replace(record);
  }

  removeOf(deploymentId: string): void {
    for (const { id } of this.#listOf(deploymentId)?.entries ?? []) this.#byId.delete(id);
    this.#byDeployment.delete(deploymentId);
  }

  page(deploymentId: string, query: RevisionQuery): RevisionRecord[] {
    const list = this.#listOf(deploymentId);
    if (!list) return [];
    const { statuses, now } = query;
    if (!statuses) return list.page(query);
    return list.acceptedPage(query, ({ transitions }) => statuses.has(currentTransition(transitions, now).status));
  }

  all(): RevisionRecord[] {
    return [...this.#byId.values()];
  }

  clear(): void {
    this.#byId.clear();
    this.#byDeployment.clear();
    this.#unlisted = [];
  }

  #listOf(deploymentId: string): OrderedEntries<RevisionRecord> | undefined {
    for (const record of this.#unlisted) {
      const list = this.#byDeployment.get(record.deploymentId);
      if (list) list.add(record);
      else this.#byDeployment.set(record.deploymentId, new OrderedEntries(record));
    }
    if (this.#unlisted.length > 0) this.#unlisted = [];
    return this.#byDeployment.get(deploymentId);
  }
}
