import { graphConfigFileNames } from "../../../core/client/wire/conventions.ts";
import type { SourceRevisionConfig } from "../../../core/client/wire/deployments.ts";
import { badRequest, HttpError } from "../../kit/http/http-error.ts";
import type { Build, RevisionOrigin } from "../builds.ts";
import type { ControlPlaneOptions } from "../control-plane-options.ts";
import { normalizeRef, normalizeRepository, unmovedCommit } from "../deployments/commits.ts";
import { withTimelineOf } from "../deployments/deployment-state.ts";
import type { RevisionBody } from "../schemas.ts";
import type { DeploymentRecord, RevisionRecord } from "../store/records.ts";
import type { RevisionQuery } from "../store/revisions.ts";
import { seededTarballPath, type UploadService } from "../uploads/upload-service.ts";
import { viewRevision } from "../views.ts";
import { draftOf } from "./revision-draft.ts";
import { advance, currentTransition, endWith, isFinal, type Transition } from "./rollout.ts";

/** The parts of a new revision. */
export interface RevisionDraft {
  source: string;
  config: SourceRevisionConfig;
}

/** A changed revision with its deployment after the change. */
export interface RevisionChange {
  deployment: DeploymentRecord;
  revision: RevisionRecord;
}

/** The fields of a deployment that a draft needs. */
type DraftedFor = Pick<DeploymentRecord, "id" | "name" | "sourceConfig" | "secrets">;

export interface RevisionServiceOptions
  extends Pick<ControlPlaneOptions, "store" | "clock" | "ids" | "transitions" | "builds"> {
  uploads: UploadService;
}

/** The revisions of deployments. Callers check access to the deployment, and hold its lock for changes. */
export class RevisionService {
  readonly #options: RevisionServiceOptions;

  constructor(options: RevisionServiceOptions) {
    this.#options = options;
  }

  /** @throws {HttpError} 404 when the deployment doesn't have the revision. */
  find(deployment: DeploymentRecord, id: string): RevisionRecord {
    const revision = this.#options.store.revisions.get(id);
    if (revision?.deploymentId !== deployment.id) throw revisionNotFound(id);
    return revision;
  }

  /** A page of a deployment's revisions, newest first. */
  list({ id }: DeploymentRecord, query: Omit<RevisionQuery, "now">): RevisionRecord[] {
    return this.#options.store.revisions.list(id, { ...query, now: this.#options.clock.now() });
  }

  /** A revision as clients see it. */
  view(revision: RevisionRecord): RevisionBody {
    return viewRevision(revision, this.#options.clock.now());
  }

  /** The current commit of a ref; `null` without a repository. */
  commitOf(repositoryUrl: string | null | undefined, ref: string | null | undefined): string | null {
    if (!repositoryUrl) return null;
    const repository = normalizeRepository(repositoryUrl);
    const name = normalizeRef(ref ?? "HEAD");
    return this.#options.store.commits.get(repository, name) ?? unmovedCommit(repository, name);
  }

  /** Drafts a revision without storing it; asynchronous only where this server loads its code. */
  draft(deployment: DraftedFor, { source, config }: RevisionDraft): RevisionRecord | Promise<RevisionRecord> {
    const { store, clock, ids, transitions } = this.#options;
    const settings = transitions.take(deployment.name);
    const origin: RevisionOrigin = {
      deploymentId: deployment.id,
      revisionId: ids.uuid(),
      sequence: store.nextSequence(),
      source,
      config,
      repositoryUrl: deployment.sourceConfig.repo_url,
      secrets: deployment.secrets,
    };
    const building = settings.rule?.fail === undefined ? this.#build(origin) : undefined;
    if (!(building instanceof Promise)) return draftOf(origin, settings, building, clock.now());
    return building.then((build) => draftOf(origin, settings, build, clock.now()));
  }

  /** Ends the project of a revision that won't be live. */
  release({ id }: RevisionRecord): void {
    this.#options.builds.release(id);
  }

  /** Adds a revision, whose config becomes the deployment's. An unfinished earlier one becomes SKIPPED. */
  async add(record: DeploymentRecord, draft: RevisionDraft): Promise<RevisionChange> {
    const { store, clock } = this.#options;
    if (record.deletion) throw badRequest(`Deployment ID ${record.id} is being deleted.`);
    const drafted = this.draft(record, draft);
    const revision = drafted instanceof Promise ? await drafted : drafted;
    if (!store.deployments.has(record.id)) {
      this.release(revision);
      throw new HttpError(404, `Deployment ID ${record.id} not found.`);
    }
    // The previous revision has progressed during the build.
    const now = clock.now();
    return store.transaction(() => {
      const before = this.#skipUnfinished(record, now);
      store.revisions.put(revision);
      const changed = { ...before, latestRevisionId: revision.id, revisionConfig: revision.config, updatedAt: now };
      const deployment = withTimelineOf(changed, revision, now);
      store.deployments.update(deployment);
      return { deployment, revision };
    });
  }

  /** Interrupts a rollout. @throws {HttpError} 400 for one that has finished. */
  interrupt(deployment: DeploymentRecord, id: string): RevisionChange {
    const revision = this.find(deployment, id);
    const now = this.#options.clock.now();
    const { status } = currentTransition(revision.transitions, now);
    if (isFinal(status)) throw badRequest(`Revision ID ${id} can't be interrupted: it is ${status}.`);
    return this.#reschedule(deployment, revision, endWith(revision.transitions, "INTERRUPTED", now));
  }

  /**
   * Moves a revision to its next status, or to `to`.
   * @throws {HttpError} 400 when it has finished and `to` isn't given.
   */
  advance(deployment: DeploymentRecord, id: string, to: string | undefined): RevisionChange {
    const revision = this.find(deployment, id);
    const transitions = advance(revision, to, this.#options.clock.now());
    if (!transitions) throw badRequest(`Revision ID ${id} has finished: name the status to move it to.`);
    return this.#reschedule(deployment, revision, transitions);
  }

  /** Builds a revision; `undefined` where there is neither code to load nor an upload to validate. */
  #build(origin: RevisionOrigin): Build | Promise<Build | undefined> | undefined {
    const { source, config, deploymentId } = origin;
    if (source === "internal_docker" && !config.image_uri) return noImage;
    if (source !== "internal_source") return this.#options.builds.build(origin);
    const path = config.source_tarball_path;
    if (!path) return noUpload;
    return path === seededTarballPath(deploymentId) ? undefined : this.#buildTarball(origin, path);
  }

  async #buildTarball(origin: RevisionOrigin, path: string): Promise<Build> {
    const { uploads, builds } = this.#options;
    const tarball = await uploads.build(path, origin.config.graph_config_path ?? graphConfigFileNames[0]);
    const project = tarball.hasFailed ? undefined : await builds.build(origin);
    return project ? { ...project, lines: [...tarball.lines, ...project.lines] } : tarball;
  }

  /** Skips the latest revision if it hasn't finished. Returns the changed deployment without storing it. */
  #skipUnfinished(record: DeploymentRecord, now: number): DeploymentRecord {
    const { revisions } = this.#options.store;
    const latest = revisions.get(record.latestRevisionId);
    if (!latest || isFinal(currentTransition(latest.transitions, now).status)) return record;
    this.release(latest);
    const skipped = { ...latest, transitions: endWith(latest.transitions, "SKIPPED", now) };
    revisions.put(skipped);
    return withTimelineOf(record, skipped, now);
  }

  /** Stores a changed schedule of a revision, and the resulting timeline of its deployment. */
  #reschedule(record: DeploymentRecord, known: RevisionRecord, transitions: Transition[]): RevisionChange {
    const { store, clock } = this.#options;
    const now = clock.now();
    const revision = { ...known, transitions };
    const { status } = currentTransition(transitions, now);
    if (isFinal(status) && status !== "DEPLOYED") this.release(revision);
    const deployment = withTimelineOf(record, revision, now);
    store.transaction(() => {
      store.revisions.put(revision);
      store.deployments.update(deployment);
    });
    return { deployment, revision };
  }
}

const noUpload: Build = {
  hasFailed: true,
  lines: [
    "ERROR: there is no source: no tarball was uploaded for this deployment.",
    "Create an upload URL (POST upload-url), PUT the tarball there, then PATCH source_revision_config.source_tarball_path.",
  ],
};
const noImage: Build = {
  hasFailed: true,
  lines: ["ERROR: there is no image: PATCH source_revision_config.image_uri with one."],
};

export function revisionNotFound(id: string): HttpError {
  return new HttpError(404, `Revision ID ${id} not found.`);
}
