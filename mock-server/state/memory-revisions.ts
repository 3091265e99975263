import { currentTransition } from "../control-plane/rollout.ts";
import { OrderedEntries } from "./ordered-entries.ts";
import type { RevisionRecord } from "./records.ts";
import type { RevisionQuery, RevisionRepository } from "./repositories.ts";

/** The revisions of a state that lives as long as the process. */
export class MemoryRevisions implements RevisionRepository {
  readonly #byId = new Map<string, RevisionRecord>();
  readonly #byDeployment = new Map<string, OrderedEntries<RevisionRecord>>();

  async insert(record: RevisionRecord): Promise<void> {
    this.#byId.set(record.id, record);
    const entries = this.#byDeployment.get(record.deploymentId);
    if (entries) entries.add(record);
    else this.#byDeployment.set(record.deploymentId, new OrderedEntries(record));
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

  async page(deploymentId: string, query: RevisionQuery): Promise<RevisionRecord[]> {
    const entries = this.#byDeployment.get(deploymentId);
    if (!entries) return [];
    const { statuses, now } = query;
    if (!statuses) return entries.page(query);
    return entries.acceptedPage(query, ({ transitions }) => statuses.has(currentTransition(transitions, now).status));
  }

  all(): RevisionRecord[] {
    return [...this.#byId.values()];
  }

  clear(): void {
    this.#byId.clear();
    this.#byDeployment.clear();
  }
}
