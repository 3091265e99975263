import { toNeutralNames } from "../../../core/dialect.ts";
import type { SourceConfig, SourceRevisionConfig } from "../../../core/wire/source-config.ts";
import { badRequest, HttpError } from "../../kit/http/http-error.ts";
import { endAgents, type Mock } from "../../mock.ts";
import { checkIntegration } from "../integrations/integration-model.ts";
import { checkListener } from "../listeners/listener-model.ts";
import { addRevision, commitOf, draftRevision, type RevisionChange } from "../revisions/revision-model.ts";
import type { CreateBody, PatchBody } from "../schemas.ts";
import type { DeploymentRecord, Edition, RevisionRecord } from "../store/records.ts";
import { checkTarballPath } from "../uploads/upload-model.ts";
import { normalizeRef, normalizeRepository } from "./commits.ts";
import { checkCreate, checkPatch } from "./deployment-rules.ts";
import { courseAfter, isGone } from "./deployment-state.ts";

/** Where a request is at home: the control plane it was sent to and the workspace it is for. */
export interface Scope {
  edition: Edition;
  tenantId: string;
}

/** A copy without the fields that are null or absent. */
function givenFields<Fields extends object>(fields: Fields): Partial<Fields> {
  const given: Partial<Fields> = {};
  for (const name in fields) if (fields[name] !== null && fields[name] !== undefined) given[name] = fields[name];
  return given;
}

function neutralConfig(config: Record<string, unknown> | null | undefined): SourceRevisionConfig {
  return givenFields(toNeutralNames(config ?? {}));
}

/** The course of a deployment that has no revision yet. */
const newCourse = { activations: [], readyAt: null };

function rememberSecrets(mock: Mock, secrets: readonly { value: string }[]): void {
  for (const { value } of secrets) mock.redaction.remember(value);
}

/** Creates a deployment: at once, or when its code is loaded, where that is run here. @throws {HttpError} 400 for a broken rule, 409 for a name in use. */
export function createDeployment(
  mock: Mock,
  scope: Scope,
  body: CreateBody,
): DeploymentRecord | Promise<DeploymentRecord> {
  rememberSecrets(mock, body.secrets);
  const config = neutralConfig(body.source_revision_config);
  checkCreate(body, config, scope.edition);
  const { integration_id: integrationId, repo_url: repositoryUrl, listener_id: listenerId } = body.source_config;
  if (typeof integrationId === "string") checkIntegration(mock, scope, integrationId, repositoryUrl);
  if (typeof listenerId === "string") {
    checkListener(mock, scope, listenerId, body.source_config.listener_config?.k8s_namespace);
  }
  const now = mock.clock.now();
  const holder = mock.state.deployments.findByName(scope.edition, scope.tenantId, body.name);
  if (holder && !isGone(holder, now)) throw nameTaken(body.name);
  const id = mock.ids.uuid();
  const sourceConfig = givenFields(body.source_config);
  if (body.source === "github") sourceConfig.build_on_push ??= false;
  const { name, secrets } = body;
  const commit = commitOf(mock, sourceConfig.repo_url, config.repo_ref);
  const drafted = draftRevision(
    mock,
    { id, name, sourceConfig, secrets },
    { source: body.source, config: { ...config, repo_commit_sha: commit } },
  );
  const store = (revision: RevisionRecord) => storeDeployment(mock, scope, body, { id, sourceConfig, now, revision });
  return drafted instanceof Promise ? drafted.then(store) : store(drafted);
}

/** What {@link createDeployment} has made of a request. */
interface MadeDeployment {
  id: string;
  sourceConfig: SourceConfig;
  now: number;
  revision: RevisionRecord;
}

function storeDeployment(
  mock: Mock,
  scope: Scope,
  body: CreateBody,
  { id, sourceConfig, now, revision }: MadeDeployment,
): DeploymentRecord {
  const { activations, readyAt } = courseAfter(newCourse, revision, now);
  const deployment: DeploymentRecord = {
    id,
    sequence: mock.state.nextSequence(),
    edition: scope.edition,
    tenantId: scope.tenantId,
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
    readyAt,
    activations,
    deletion: null,
    tagValueIds: [],
  };
  if (!mock.state.deployments.insert(deployment, revision, now)) {
    mock.projects.release(revision.id);
    throw nameTaken(body.name);
  }
  return deployment;
}

function nameTaken(name: string): HttpError {
  return new HttpError(409, `A deployment named "${name}" already exists in this workspace.`);
}

/** @throws {HttpError} 404 unless the deployment is there, in this edition and workspace. */
export function findDeployment(mock: Mock, scope: Scope, id: string): DeploymentRecord {
  const record = findAnywhere(mock, id);
  if (record?.edition !== scope.edition || record.tenantId !== scope.tenantId) throw deploymentNotFound(id);
  return record;
}

/** A deployment of any edition and workspace, unless it is gone. */
export function findAnywhere(mock: Mock, id: string): DeploymentRecord | undefined {
  const record = mock.state.deployments.get(id);
  if (!record || !isGone(record, mock.clock.now())) return record;
  forgetDeployment(mock, id);
  return undefined;
}

/** Removes a deployment with all that belongs to it. */
export function forgetDeployment(mock: Mock, id: string): void {
  mock.state.transaction(() => {
    mock.state.uploads.removeOf(id);
    mock.state.deployments.remove(id);
  });
  endAgents(mock, id);
}

export function deploymentNotFound(id: string): HttpError {
  return new HttpError(404, `Deployment ID ${id} not found.`);
}

/** Runs a change of one deployment while no other change of it runs. @throws {HttpError} 404 unless it is there. */
export function changeDeployment<Result>(
  mock: Mock,
  scope: Scope,
  id: string,
  change: (record: DeploymentRecord) => Result | Promise<Result>,
): Promise<Result> {
  return mock.locks.run(id, async () => change(findDeployment(mock, scope, id)));
}

/** Applies a patch; makes one new revision when any field asks for it, or `always`. @throws {HttpError} 400 for a broken rule. */
export async function patchDeployment(
  mock: Mock,
  record: DeploymentRecord,
  body: PatchBody,
  always = false,
): Promise<{ deployment: DeploymentRecord; revision: RevisionChange["revision"] | undefined }> {
  rememberSecrets(mock, body.secrets ?? []);
  if (record.deletion) throw badRequest(`Deployment ID ${record.id} is being deleted.`);
  const patchedConfig = neutralConfig(body.source_revision_config);
  const patchedSource = givenFields(body.source_config ?? {});
  const sourceConfig = { ...record.sourceConfig, ...patchedSource };
  const revisionConfig = { ...record.revisionConfig, ...patchedConfig };
  checkPatch(body, patchedConfig, record, { sourceConfig, revisionConfig });
  checkTarballPath(record.id, patchedConfig.source_tarball_path);
  const newSecrets = body.secrets && body.secrets.length > 0 ? body.secrets : undefined;
  const patched: DeploymentRecord = {
    ...record,
    displayName: body.display_name ?? record.displayName,
    sourceConfig,
    secrets: newSecrets ?? record.secrets,
    secretReferences: body.secret_references ?? record.secretReferences,
    updatedAt: mock.clock.now(),
  };
  const makesRevision =
    always ||
    Object.keys(patchedConfig).length > 0 ||
    newSecrets !== undefined ||
    (body.secret_references ?? null) !== null ||
    ["resource_spec", "install_command", "build_command"].some((field) => field in patchedSource);
  if (!makesRevision) {
    mock.state.deployments.update(patched);
    return { deployment: patched, revision: undefined };
  }
  const commit = commitOf(mock, sourceConfig.repo_url, revisionConfig.repo_ref);
  return addRevision(mock, patched, {
    source: body.revision_source ?? record.source,
    config: { ...revisionConfig, repo_commit_sha: commit },
  });
}

/** Starts a deletion, or leaves one that has started as it is. */
export function deleteDeployment(mock: Mock, record: DeploymentRecord, deleteTracingProject: boolean): void {
  if (record.deletion) return;
  const now = mock.clock.now();
  const step = mock.transitions.deletionStep();
  if (step === 0) {
    forgetDeployment(mock, record.id);
    return;
  }
  mock.state.deployments.update({
    ...record,
    updatedAt: now,
    deletion: {
      requestedAt: now,
      finalAt: step === null ? null : now + step,
      goneAt: step === null ? null : now + 2 * step,
      deleteTracingProject,
    },
  });
}

/** Moves a deletion one step on, from AWAITING_DELETE over AWAITING_FINAL_DELETE to gone. @throws {HttpError} 404, or 400 without a deletion. */
export function advanceDeletion(mock: Mock, id: string): Promise<void> {
  return mock.locks.run(id, async () => {
    const record = findAnywhere(mock, id);
    if (!record) throw deploymentNotFound(id);
    const { deletion } = record;
    if (!deletion) throw badRequest(`Deployment ID ${id} is not being deleted.`);
    const now = mock.clock.now();
    if (deletion.finalAt !== null && deletion.finalAt <= now) return forgetDeployment(mock, id);
    mock.state.deployments.update({ ...record, deletion: { ...deletion, finalAt: now } });
  });
}

/** A push to a repository, as it is told to the mock server. */
export interface Push {
  repo_url: string;
  /** A branch, bare or as `refs/heads/…`; a tag, as `refs/tags/…`, moves with `force` only. */
  ref: string;
  commit: string;
  force?: boolean | undefined;
}

/**
 * Does what a push would cause: moves the ref, and makes a revision of each deployment that builds on pushes to it. Returns those revisions.
 * @throws {HttpError} 400 for a tag without `force`.
 */
export async function push(mock: Mock, { repo_url, ref, commit, force = false }: Push): Promise<RevisionChange[]> {
  const repository = normalizeRepository(repo_url);
  const name = normalizeRef(ref);
  if (name.startsWith("refs/tags/") && !force) throw badRequest(`${name} is a tag: it moves with "force": true only.`);
  mock.state.commits.set(repository, name, commit);
  const changes: RevisionChange[] = [];
  for (const { id } of mock.state.deployments.buildingFrom(repository, name)) {
    const change = await mock.locks.run(id, async () => {
      // It may have been changed while earlier ones were built.
      const record = findAnywhere(mock, id);
      if (!record || record.deletion || !record.sourceConfig.build_on_push) return undefined;
      if (record.revisionConfig.repo_ref !== name) return undefined;
      return addRevision(mock, record, {
        source: record.source,
        config: { ...record.revisionConfig, repo_commit_sha: commit },
      });
    });
    if (change) changes.push(change);
  }
  return changes;
}
