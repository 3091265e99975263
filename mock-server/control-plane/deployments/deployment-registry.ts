import { badRequest, HttpError } from "../../kit/http/http-error.ts";
import { KeyedLocks } from "../../kit/keyed-locks.ts";
import type { RevisionOrigin } from "../builds.ts";
import type { ControlPlaneOptions } from "../control-plane-options.ts";
import { type RevisionChange, type RevisionService, revisionNotFound } from "../revisions/revision-service.ts";
import type { DeploymentRecord } from "../store/records.ts";
import { normalizeRef, normalizeRepository } from "./commits.ts";
import { isDeleted } from "./deployment-state.ts";

/** A simulated push to a repository. */
export interface Push {
  repoUrl: string;
  /** A branch, bare or as `refs/heads/…`; a tag, as `refs/tags/…`, moves with `force` only. */
  ref: string;
  commit: string;
  force?: boolean | undefined;
}

export interface DeploymentRegistryOptions extends Pick<ControlPlaneOptions, "store" | "clock" | "onRemoved"> {
  revisions: RevisionService;
}

/**
 * The deployments of all tenancies, for agent servers, signed uploads and the admin API; requests use {@link
 * DeploymentService}.
 */
export class DeploymentRegistry {
  readonly #options: DeploymentRegistryOptions;
  readonly #locks = new KeyedLocks();

  constructor(options: DeploymentRegistryOptions) {
    this.#options = options;
  }

  /** A deployment, unless it was deleted. */
  get(id: string): DeploymentRecord | undefined {
    const { store, clock } = this.#options;
    const record = store.deployments.get(id);
    if (!record || !isDeleted(record, clock.now())) return record;
    this.remove(id);
    return undefined;
  }

  /** @throws {HttpError} 404 for an unknown deployment. */
  find(id: string): DeploymentRecord {
    const record = this.get(id);
    if (!record) throw deploymentNotFound(id);
    return record;
  }

  /**
   * Runs a change while no other change of the same deployment runs.
   * @throws {HttpError} 404 for an unknown deployment.
   */
  change<Result>(id: string, change: (record: DeploymentRecord) => Result | Promise<Result>): Promise<Result> {
    return this.#locks.run(id, async () => change(this.find(id)));
  }

  /** Removes a deployment with all that belongs to it. */
  remove(id: string): void {
    const { store, onRemoved } = this.#options;
    store.transaction(() => {
      store.uploads.removeOf(id);
      store.deployments.remove(id);
      // In the transaction, so that the agent server's state is removed with the deployment or not at all.
      onRemoved(id);
    });
  }

  /** Replaces the tag values of a deployment. @throws {HttpError} 404 for an unknown deployment. */
  tag(id: string, tagValueIds: string[]): Promise<void> {
    return this.change(id, (record) => this.#options.store.deployments.update({ ...record, tagValueIds }));
  }

  /**
   * Moves a deletion to its next step: AWAITING_DELETE, AWAITING_FINAL_DELETE, deleted.
   * @throws {HttpError} 404 for an unknown deployment, 400 for one that isn't being deleted.
   */
  advanceDeletion(id: string): Promise<void> {
    return this.change(id, (record) => {
      const { deletion } = record;
      if (!deletion) throw badRequest(`Deployment ID ${id} is not being deleted.`);
      const now = this.#options.clock.now();
      if (deletion.finalAt !== null && deletion.finalAt <= now) return this.remove(id);
      this.#options.store.deployments.update({ ...record, deletion: { ...deletion, finalAt: now } });
    });
  }

  /**
   * Moves a revision to its next status, or to `to`.
   * @throws {HttpError} 404 for an unknown revision, 400 when it has finished and `to` isn't given.
   */
  async advanceRevision(id: string, to?: string): Promise<RevisionChange> {
    const { store, revisions } = this.#options;
    const known = store.revisions.get(id);
    if (!known) throw revisionNotFound(id);
    return this.#locks.run(known.deploymentId, async () => {
      const deployment = store.deployments.get(known.deploymentId);
      if (!deployment) throw revisionNotFound(id);
      return revisions.advance(deployment, id, to);
    });
  }

  /** The source of a revision; `undefined` for an unknown revision. */
  originOf(revisionId: string): RevisionOrigin | undefined {
    const { store } = this.#options;
    const revision = store.revisions.get(revisionId);
    const deployment = revision && store.deployments.get(revision.deploymentId);
    if (!deployment) return undefined;
    const { deploymentId, sequence, source, config } = revision;
    const { sourceConfig, secrets } = deployment;
    return { deploymentId, revisionId, sequence, source, config, repositoryUrl: sourceConfig.repo_url, secrets };
  }

  /**
   * Simulates a push: moves the ref, and creates a revision of each deployment that builds on pushes to it. Returns
   * these revisions.
   * @throws {HttpError} 400 for a tag without `force`.
   */
  async push({ repoUrl, ref, commit, force = false }: Push): Promise<RevisionChange[]> {
    const { store, revisions } = this.#options;
    const repository = normalizeRepository(repoUrl);
    const name = normalizeRef(ref);
    if (name.startsWith("refs/tags/") && !force) {
      throw badRequest(`${name} is a tag: it moves with "force": true only.`);
    }
    store.commits.set(repository, name, commit);
    const changes: RevisionChange[] = [];
    for (const { id } of store.deployments.buildingFrom(repository, name)) {
      const change = await this.#locks.run(id, async () => {
        // The record may have changed while earlier ones were built.
        const record = this.get(id);
        if (!record || record.deletion || !record.sourceConfig.build_on_push) return undefined;
        if (record.revisionConfig.repo_ref !== name) return undefined;
        const config = { ...record.revisionConfig, repo_commit_sha: commit };
        return revisions.add(record, { source: record.source, config });
      });
      if (change) changes.push(change);
    }
    return changes;
  }
}

export function deploymentNotFound(id: string): HttpError {
  return new HttpError(404, `Deployment ID ${id} not found.`);
}
