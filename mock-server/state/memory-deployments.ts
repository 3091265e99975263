import { normalizeRepository } from "../control-plane/commits.ts";
import { DeploymentIndex } from "./deployment-index.ts";
import type { MemoryRevisions } from "./memory-revisions.ts";
import type { DeploymentRecord, Edition, RevisionRecord } from "./records.ts";
import type { DeploymentQuery, DeploymentRepository } from "./repositories.ts";
import { deploymentChange, revisionChange, type StateKeeper } from "./state-keeper.ts";

interface Workspace {
  index: DeploymentIndex;
  idByName: Map<string, string>;
}

/** The deployments of a state that lives as long as the process. */
export class MemoryDeployments implements DeploymentRepository {
  readonly #byId = new Map<string, DeploymentRecord>();
  readonly #workspaces: Readonly<Record<Edition, Map<string, Workspace>>> = {
    cloud: new Map(),
    "self-hosted": new Map(),
  };
  /** The ids of those that build on pushes, by what they build. */
  readonly #idsByPush = new Map<string, Set<string>>();
  readonly #revisions: MemoryRevisions;
  readonly #keeper: StateKeeper | undefined;

  constructor(revisions: MemoryRevisions, keeper: StateKeeper | undefined) {
    this.#revisions = revisions;
    this.#keeper = keeper;
  }

  insert(record: DeploymentRecord, first: RevisionRecord, isGone: (other: DeploymentRecord) => boolean): boolean {
    const holder = this.#named(record.edition, record.tenantId, record.name);
    if (holder && !isGone(holder)) return false;
    this.#keeper?.write(deploymentChange(record), revisionChange(first));
    this.add(record);
    this.#revisions.add(first);
    return true;
  }

  /** Takes what is kept already. */
  add(record: DeploymentRecord): void {
    const { edition, tenantId, name, id } = record;
    if (this.#byId.has(id)) this.#remove(id);
    let workspace = this.#workspaces[edition].get(tenantId);
    if (!workspace) {
      workspace = { index: new DeploymentIndex(), idByName: new Map() };
      this.#workspaces[edition].set(tenantId, workspace);
    }
    this.#byId.set(id, record);
    workspace.idByName.set(name, id);
    workspace.index.insert(record);
    this.#enterPushes(record);
  }

  get(id: string): DeploymentRecord | undefined {
    return this.#byId.get(id);
  }

  findByName(edition: Edition, tenantId: string, name: string): DeploymentRecord | undefined {
    return this.#named(edition, tenantId, name);
  }

  update(record: DeploymentRecord): void {
    const before = this.#byId.get(record.id);
    if (!before) return;
    this.#keeper?.write(deploymentChange(record));
    this.#byId.set(record.id, record);
    this.#workspaces[record.edition].get(record.tenantId)?.index.update(record);
    if (pushedRef(before) === pushedRef(record)) return;
    this.#leavePushes(before);
    this.#enterPushes(record);
  }

  remove(id: string): void {
    this.#keeper?.write({ kind: "deployments", id, without: ["revisions"] });
    this.#remove(id);
  }

  #remove(id: string): void {
    const record = this.#byId.get(id);
    if (!record) return;
    this.#byId.delete(id);
    this.#revisions.removeOf(id);
    this.#leavePushes(record);
    const { edition, tenantId, name } = record;
    const workspace = this.#workspaces[edition].get(tenantId);
    if (!workspace) return;
    workspace.index.remove(record);
    if (workspace.idByName.get(name) === id) workspace.idByName.delete(name);
    if (workspace.index.isEmpty) this.#workspaces[edition].delete(tenantId);
  }

  page(edition: Edition, tenantId: string, query: DeploymentQuery): DeploymentRecord[] {
    const index = this.#workspaces[edition].get(tenantId)?.index;
    if (!index) return [];
    const { name, ids } = query;
    if (name === undefined && ids === undefined) return index.page(query);
    const chosen =
      name === undefined ? [...(ids ?? [])].map((id) => this.#byId.get(id)) : [this.#named(edition, tenantId, name)];
    const records = chosen.filter((record) => record !== undefined);
    const isOwn = (record: DeploymentRecord) => record.edition === edition && record.tenantId === tenantId;
    return index.pageOf(
      records.filter((record) => isOwn(record) && ids?.has(record.id) !== false),
      query,
    );
  }

  buildingFrom(repository: string, ref: string): DeploymentRecord[] {
    const ids = [...(this.#idsByPush.get(pushKey(repository, ref)) ?? [])];
    const records = ids.map((id) => this.#byId.get(id)).filter((record) => record !== undefined);
    return records.sort((a, b) => a.sequence - b.sequence);
  }

  all(): DeploymentRecord[] {
    return [...this.#byId.values()];
  }

  clear(): void {
    this.#byId.clear();
    for (const workspaces of Object.values(this.#workspaces)) workspaces.clear();
    this.#idsByPush.clear();
  }

  #named(edition: Edition, tenantId: string, name: string): DeploymentRecord | undefined {
    const id = this.#workspaces[edition].get(tenantId)?.idByName.get(name);
    return id === undefined ? undefined : this.#byId.get(id);
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

const pushKey = (repository: string, ref: string) => `${repository}\n${ref}`;

/** What a deployment is built from whenever somebody pushes it; `undefined` for one that doesn't build on pushes. */
function pushedRef({ sourceConfig, revisionConfig }: DeploymentRecord): string | undefined {
  const { build_on_push: buildsOnPush, repo_url: url } = sourceConfig;
  const { repo_ref: ref } = revisionConfig;
  if (!buildsOnPush || !url || typeof ref !== "string") return undefined;
  return pushKey(normalizeRepository(url), ref);
}
