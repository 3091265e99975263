import { randomBytes } from "node:crypto";
import { toNeutralNames } from "../../../core/client/wire/conventions.ts";
import type { SourceConfig, SourceRevisionConfig } from "../../../core/client/wire/deployments.ts";
import { badRequest, HttpError } from "../../kit/http/http-error.ts";
import type { Page } from "../../kit/store/table.ts";
import type { ControlPlaneOptions } from "../control-plane-options.ts";
import type { IntegrationService } from "../integrations/integration-service.ts";
import type { ListenerService } from "../listeners/listener-service.ts";
import type { RevisionService } from "../revisions/revision-service.ts";
import type { CreateBody, DeploymentBody, PatchBody } from "../schemas.ts";
import type { DeploymentRecord, RevisionRecord } from "../store/records.ts";
import type { Tenancy } from "../tenancy.ts";
import { checkTarballPath, seededTarballPath, type UploadService } from "../uploads/upload-service.ts";
import { viewDeployment } from "../views.ts";
import { type DeploymentFilters, deploymentQuery } from "./deployment-filters.ts";
import { type DeploymentRegistry, deploymentNotFound } from "./deployment-registry.ts";
import { checkCreate, checkPatch } from "./deployment-rules.ts";
import { emptyTimeline, timelineAfter } from "./deployment-state.ts";

export interface DeploymentServiceOptions
  extends Pick<
    ControlPlaneOptions,
    "store" | "clock" | "ids" | "redaction" | "transitions" | "publicUrl" | "agentUrl"
  > {
  registry: DeploymentRegistry;
  revisions: RevisionService;
  uploads: UploadService;
  integrations: IntegrationService;
  listeners: ListenerService;
}

/** A deployment after a change, and the revision that the change created, if any. */
interface DeploymentChange {
  deployment: DeploymentRecord;
  revision: RevisionRecord | undefined;
}

/** The deployments of one tenancy. */
export class DeploymentService {
  readonly #options: DeploymentServiceOptions;
  readonly #tenancy: Tenancy;

  constructor(options: DeploymentServiceOptions, tenancy: Tenancy) {
    this.#options = options;
    this.#tenancy = tenancy;
  }

  /** @throws {HttpError} 404 for an unknown deployment. */
  find(id: string): DeploymentRecord {
    return this.#own(this.#options.registry.find(id));
  }

  /**
   * Runs a change while no other change of the same deployment runs.
   * @throws {HttpError} 404 for an unknown deployment.
   */
  change<Result>(id: string, change: (record: DeploymentRecord) => Result | Promise<Result>): Promise<Result> {
    return this.#options.registry.change(id, (record) => change(this.#own(record)));
  }

  /** One page, newest first. */
  list(query: DeploymentFilters & Page): DeploymentRecord[] {
    const { store, clock } = this.#options;
    const { edition, tenantId } = this.#tenancy;
    return store.deployments.list(edition, tenantId, deploymentQuery(query, clock.now(), query));
  }

  /** A deployment as clients see it. */
  view(record: DeploymentRecord): DeploymentBody {
    return viewDeployment(record, this.#options.agentUrl(record.id), this.#options.clock.now());
  }

  /**
   * Creates a deployment; asynchronous only where this server loads its code. With `isSeeded`, the source counts as
   * uploaded.
   * @throws {HttpError} 400 for a broken rule, 409 for a name in use.
   */
  create(body: CreateBody, { isSeeded = false } = {}): DeploymentRecord | Promise<DeploymentRecord> {
    const { store, clock, ids, revisions, integrations, listeners } = this.#options;
    const { edition, tenantId } = this.#tenancy;
    this.#rememberSecrets(body.secrets);
    const config = neutralConfig(body.source_revision_config);
    checkCreate(body, config, edition);
    const { integration_id: integrationId, repo_url: repositoryUrl, listener_id: listenerId } = body.source_config;
    if (typeof integrationId === "string") integrations.check(integrationId, repositoryUrl);
    if (typeof listenerId === "string") {
      listeners.check(listenerId, body.source_config.listener_config?.k8s_namespace);
    }
    const now = clock.now();
    if (store.deployments.isNameInUse({ edition, tenantId, name: body.name }, now)) throw nameTaken(body.name);
    const id = ids.uuid();
    const sourceConfig = givenFields(body.source_config);
    if (body.source === "github") sourceConfig.build_on_push ??= false;
    if (isSeeded && body.source === "internal_source") config.source_tarball_path = seededTarballPath(id);
    const { name, secrets } = body;
    const commit = revisions.commitOf(sourceConfig.repo_url, config.repo_ref);
    const drafted = revisions.draft(
      { id, name, sourceConfig, secrets },
      { source: body.source, config: { ...config, repo_commit_sha: commit } },
    );
    const insert = (revision: RevisionRecord) => this.#insert(body, sourceConfig, now, revision);
    return drafted instanceof Promise ? drafted.then(insert) : insert(drafted);
  }

  /**
   * Applies a patch. Creates one revision if any field requires it, or with `always`.
   * @throws {HttpError} 404 for an unknown deployment, 400 for a broken rule.
   */
  patch(id: string, body: PatchBody, always = false): Promise<DeploymentChange> {
    return this.change(id, (record) => this.#patch(record, body, always));
  }

  /** Starts a deletion, unless it has started already. @throws {HttpError} 404 for an unknown deployment. */
  delete(id: string, deleteTracingProject: boolean): Promise<void> {
    const { store, clock, transitions, registry } = this.#options;
    return this.change(id, (record) => {
      if (record.deletion) return;
      const now = clock.now();
      const step = transitions.deletionStep();
      if (step === 0) return registry.remove(id);
      const [finalAt, goneAt] = step === null ? [null, null] : [now + step, now + 2 * step];
      const deletion = { requestedAt: now, finalAt, goneAt, deleteTracingProject };
      store.deployments.update({ ...record, updatedAt: now, deletion });
    });
  }

  /**
   * Creates a token for pushing an image.
   * @throws {HttpError} 404 for an unknown deployment, 400 for another source.
   */
  createPushToken(id: string): { token: string; registry_url: string } {
    const { redaction, publicUrl } = this.#options;
    checkSource(this.find(id), "internal_docker", "A push token");
    const token = randomBytes(24).toString("base64url");
    redaction.remember(token);
    return { token, registry_url: `${new URL(publicUrl()).host}/registry/${id}` };
  }

  /**
   * Creates a URL for uploading a source tarball.
   * @throws {HttpError} 404 for an unknown deployment, 400 for another source.
   */
  createUploadUrl(id: string): { upload_url: string; object_path: string } {
    checkSource(this.find(id), "internal_source", "An upload URL");
    return this.#options.uploads.createUrl(id);
  }

  #own(record: DeploymentRecord): DeploymentRecord {
    const { edition, tenantId } = this.#tenancy;
    if (record.edition !== edition || record.tenantId !== tenantId) throw deploymentNotFound(record.id);
    return record;
  }

  #rememberSecrets(secrets: readonly { value: string }[]): void {
    for (const { value } of secrets) this.#options.redaction.remember(value);
  }

  #insert(body: CreateBody, sourceConfig: SourceConfig, now: number, revision: RevisionRecord): DeploymentRecord {
    const { store, revisions } = this.#options;
    const deployment: DeploymentRecord = {
      id: revision.deploymentId,
      sequence: store.nextSequence(),
      ...this.#tenancy,
      name: body.name,
      displayName: null,
      source: body.source,
      sourceConfig,
      revisionConfig: revision.config,
      secrets: body.secrets,
      secretReferences: body.secret_references ?? null,
      createdAt: now,
      updatedAt: now,
      latestRevisionId: revision.id,
      ...timelineAfter(emptyTimeline, revision, now),
      deletion: null,
      tagValueIds: [],
    };
    if (!store.deployments.insert(deployment, revision, now)) {
      revisions.release(revision);
      throw nameTaken(body.name);
    }
    return deployment;
  }

  async #patch(record: DeploymentRecord, body: PatchBody, always: boolean): Promise<DeploymentChange> {
    const { store, clock, revisions } = this.#options;
    this.#rememberSecrets(body.secrets ?? []);
    if (record.deletion) throw badRequest(`Deployment ID ${record.id} is being deleted.`);
    const patchedConfig = neutralConfig(body.source_revision_config);
    const patchedSource = givenFields(body.source_config ?? {});
    const sourceConfig = { ...record.sourceConfig, ...patchedSource };
    const revisionConfig = { ...record.revisionConfig, ...patchedConfig };
    checkPatch(body, patchedConfig, record, { sourceConfig, revisionConfig });
    checkTarballPath(record.id, patchedConfig.source_tarball_path, record.revisionConfig.source_tarball_path);
    const newSecrets = body.secrets && body.secrets.length > 0 ? body.secrets : undefined;
    const patched: DeploymentRecord = {
      ...record,
      displayName: body.display_name ?? record.displayName,
      sourceConfig,
      secrets: newSecrets ?? record.secrets,
      secretReferences: body.secret_references ?? record.secretReferences,
      updatedAt: clock.now(),
    };
    const makesRevision =
      always ||
      Object.keys(patchedConfig).length > 0 ||
      newSecrets !== undefined ||
      (body.secret_references ?? null) !== null ||
      ["resource_spec", "install_command", "build_command"].some((field) => field in patchedSource);
    if (!makesRevision) {
      store.deployments.update(patched);
      return { deployment: patched, revision: undefined };
    }
    const commit = revisions.commitOf(sourceConfig.repo_url, revisionConfig.repo_ref);
    return revisions.add(patched, {
      source: body.revision_source ?? record.source,
      config: { ...revisionConfig, repo_commit_sha: commit },
    });
  }
}

/** A copy without null and absent fields. */
function givenFields<Fields extends object>(fields: Fields): Partial<Fields> {
  const given: Partial<Fields> = {};
  for (const name in fields) if (fields[name] !== null && fields[name] !== undefined) given[name] = fields[name];
  return given;
}

function neutralConfig(config: Record<string, unknown> | null | undefined): SourceRevisionConfig {
  return givenFields(toNeutralNames(config ?? {}));
}

function checkSource(record: DeploymentRecord, source: string, what: string): void {
  if (record.source !== source) throw badRequest(`${what} is only available for '${source}' source deployments.`);
}

function nameTaken(name: string): HttpError {
  return new HttpError(409, `A deployment named "${name}" already exists in this workspace.`);
}
