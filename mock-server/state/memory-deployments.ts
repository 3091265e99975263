import { normalizeRepository } from "../control-plane/commits.ts";
import { DeploymentIndex } from "./deployment-index.ts";
import type { DeploymentRecord, Edition } from "./records.ts";
import type { DeploymentQuery, DeploymentRepository } from "./repositories.ts";

/** The deployments of a state that lives as long as the process. */
export class MemoryDeployments implements DeploymentRepository {
  readonly #byId = new Map<string, DeploymentRecord>();
  readonly #idByName = new Map<string, string>();
  readonly #byWorkspace = new Map<string, DeploymentIndex>();
  /** The ids of those that build on pushes, by what they build. */
  readonly #idsByPush = new Map<string, Set<string>>();

  async insert(record: DeploymentRecord, isGone: (other: DeploymentRecord) => boolean): Promise<boolean> {
    const key = nameKey(record.edition, record.tenantId, record.name);
    const holder = this.#byId.get(this.#idByName.get(key) ?? "");
    if (holder && !isGone(holder)) return false;
    await this.remove(record.id);
    this.#byId.set(record.id, record);
    this.#idByName.set(key, record.id);
    const workspace = workspaceKey(record.edition, record.tenantId);
    let index = this.#byWorkspace.get(workspace);
    if (!index) {
      index = new DeploymentIndex();
      this.#byWorkspace.set(workspace, index);
    }
    index.insert(record);
    this.#enterPushes(record);
    return true;
  }

  async get(id: string): Promise<DeploymentRecord | undefined> {
    return this.#byId.get(id);
  }

  async findByName(edition: Edition, tenantId: string, name: string): Promise<DeploymentRecord | undefined> {
    return this.#byId.get(this.#idByName.get(nameKey(edition, tenantId, name)) ?? "");
  }

  async update(record: DeploymentRecord): Promise<void> {
    const before = this.#byId.get(record.id);
    if (!before) return;
    this.#byId.set(record.id, record);
    this.#byWorkspace.get(workspaceKey(record.edition, record.tenantId))?.update(record);
    if (pushedRef(before) === pushedRef(record)) return;
    this.#leavePushes(before);
    this.#enterPushes(record);
  }

  async remove(id: string): Promise<void> {
    const record = this.#byId.get(id);
    if (!record) return;
    this.#byId.delete(id);
    const workspace = workspaceKey(record.edition, record.tenantId);
    const index = this.#byWorkspace.get(workspace);
    index?.remove(record);
    if (index?.isEmpty) this.#byWorkspace.delete(workspace);
    const key = nameKey(record.edition, record.tenantId, record.name);
    if (this.#idByName.get(key) === id) this.#idByName.delete(key);
    this.#leavePushes(record);
  }

  async page(edition: Edition, tenantId: string, query: DeploymentQuery): Promise<DeploymentRecord[]> {
    const index = this.#byWorkspace.get(workspaceKey(edition, tenantId));
    if (!index) return [];
    const { name, ids } = query;
    if (name === undefined && ids === undefined) return index.page(query);
    const named = name === undefined ? ids : [this.#idByName.get(nameKey(edition, tenantId, name)) ?? ""];
    const records = [...(named ?? [])].map((id) => this.#byId.get(id)).filter((record) => record !== undefined);
    const isOwn = (record: DeploymentRecord) => record.edition === edition && record.tenantId === tenantId;
    return index.pageOf(
      records.filter((record) => isOwn(record) && ids?.has(record.id) !== false),
      query,
    );
  }

  async buildingFrom(repository: string, ref: string): Promise<DeploymentRecord[]> {
    const ids = [...(this.#idsByPush.get(pushKey(repository, ref)) ?? [])];
    const records = ids.map((id) => this.#byId.get(id)).filter((record) => record !== undefined);
    return records.sort((a, b) => a.sequence - b.sequence);
  }

  async all(): Promise<DeploymentRecord[]> {
    return [...this.#byId.values()];
  }

  clear(): void {
    this.#byId.clear();
    this.#idByName.clear();
    this.#byWorkspace.clear();
    this.#idsByPush.clear();
  }

  #enterPushes(record: DeploymentRecord): void {
    const key = pushedRef(record);
    if (key === undefined) return;
    const ids = this.#idsByPush.get(key);
    if (ids) ids.add(record.id);
    else this.#idsByPush.set(key, new Set([record.id]));
  }

  #leavePushes(record: DeploymentRecord): void {
    const key = pushedRef(record);
    const ids = key === undefined ? undefined : this.#idsByPush.get(key);
    if (key === undefined || !ids) return;
    ids.delete(record.id);
    if (ids.size === 0) this.#idsByPush.delete(key);
  }
}

const workspaceKey = (edition: Edition, tenantId: string) => `${edition}\n${tenantId}`;
const nameKey = (edition: Edition, tenantId: string, name: string) => `${edition}\n${tenantId}\n${name}`;
const pushKey = (repository: string, ref: string) => `${repository}\n${ref}`;

/** What a deployment is built from whenever somebody pushes it; `undefined` for one that doesn't build on pushes. */
function pushedRef({ sourceConfig, revisionConfig }: DeploymentRecord): string | undefined {
  const { build_on_push: buildsOnPush, repo_url: url } = sourceConfig;
  const { repo_ref: ref } = revisionConfig;
  if (!buildsOnPush || !url || typeof ref !== "string") return undefined;
  return pushKey(normalizeRepository(url), ref);
}
