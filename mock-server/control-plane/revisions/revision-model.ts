import { graphConfigFileNames } from "../../../core/dialect.ts";
import { parseDuration } from "../../../core/duration.ts";
import type { SourceRevisionConfig } from "../../../core/wire/source-config.ts";
import type { Build, RevisionOrigin } from "../../builds/revision-projects.ts";
import { badRequest, HttpError } from "../../kit/http/http-error.ts";
import type { Mock } from "../../mock.ts";
import { normalizeRef, normalizeRepository, unmovedCommit } from "../deployments/commits.ts";
import { withCourseOf } from "../deployments/deployment-state.ts";
import { buildLines } from "../logs/log-lines.ts";
import type { DeploymentRecord, RevisionRecord } from "../store/records.ts";
import { buildTarball } from "../uploads/upload-model.ts";
import {
  advance,
  currentTransition,
  endWith,
  isFinal,
  planPhases,
  type RolloutVariation,
  scheduleFrom,
} from "./rollout.ts";
import { totalOf } from "./transition-settings.ts";

/** What a new revision is made of. */
export interface RevisionDraft {
  source: string;
  config: SourceRevisionConfig;
}

/** A revision together with its deployment as it is after the change. */
export interface RevisionChange {
  deployment: DeploymentRecord;
  revision: RevisionRecord;
}

/** The commit that a ref of a repository points to now; `null` without a repository. */
export function commitOf(mock: Mock, repositoryUrl: string | null | undefined, ref: string | null | undefined) {
  if (!repositoryUrl) return null;
  const repository = normalizeRepository(repositoryUrl);
  const name = normalizeRef(ref ?? "HEAD");
  return mock.state.commits.get(repository, name) ?? unmovedCommit(repository, name);
}

/** What a revision is drafted for. */
type DraftedFor = Pick<DeploymentRecord, "id" | "name" | "sourceConfig" | "secrets">;

/**
 * A new revision of a deployment on the course that the transition settings give it, and that its build comes to: a project is loaded before the
 * revision is there. Without a project there is nothing to wait for. Nothing is stored.
 */
export function draftRevision(
  mock: Mock,
  deployment: DraftedFor,
  { source, config }: RevisionDraft,
): RevisionRecord | Promise<RevisionRecord> {
  const settings = mock.transitions.take(deployment.name);
  const origin: RevisionOrigin = {
    deploymentId: deployment.id,
    revisionId: mock.ids.uuid(),
    sequence: mock.state.nextSequence(),
    source,
    config,
    repositoryUrl: deployment.sourceConfig.repo_url,
    secrets: deployment.secrets,
  };
  const building = settings.rule?.fail === undefined ? buildOf(mock, origin) : undefined;
  if (!building) return draftOf(origin, settings, undefined, mock.clock.now());
  return building.then((build) => draftOf(origin, settings, build, mock.clock.now()));
}

function draftOf(
  { revisionId, sequence, deploymentId, source, config }: RevisionOrigin,
  { mode, rule }: ReturnType<Mock["transitions"]["take"]>,
  build: Build | undefined,
  now: number,
): RevisionRecord {
  const stick = rule?.stick ?? null;
  const { phases, transitions } = courseOf(source, totalOf(mode), now, stick, {
    fail: rule?.fail ?? (build?.hasFailed ? "BUILD_FAILED" : undefined),
    passThrough: rule?.pass_through,
    durations: mode === "immediate" ? undefined : rule?.durations,
  });
  const delay = rule?.active_delay ?? 0;
  return {
    id: revisionId,
    sequence,
    deploymentId,
    source,
    config,
    createdAt: now,
    phases,
    transitions: mode === "manual" ? transitions.slice(0, 1) : transitions,
    moves: mode !== "manual",
    stick,
    activeDelay: delay === "never" ? null : parseDuration(delay, "active_delay"),
    buildLines: build ? linesOf(build, buildLines(source, config)) : null,
    failureLines: rule?.log_lines ?? (build?.hasFailed ? build.lines : []),
  };
}

/** What a build logs. Of what builds usually log, fetching and reading come before one can fail. */
function linesOf({ hasFailed, lines }: Build, usual: string[]): string[] {
  return hasFailed ? usual.slice(0, 2) : usual.toSpliced(2, 0, ...lines);
}

/** A course that departs from the usual one: a status outside it at which it is to stick is passed through as well. */
function courseOf(source: string, total: number, start: number, stick: string | null, variation: RolloutVariation) {
  let phases = planPhases(source, total, variation);
  if (stick !== null && !phases.some(({ status }) => status === stick)) {
    phases = planPhases(source, total, { ...variation, passThrough: stick });
  }
  return { phases, transitions: scheduleFrom(phases, 0, start, stick) };
}

/**
 * What a build comes to: the tarball is looked at, if there is one, and the project is loaded, if its code is run here. `undefined` when there is neither, as
 * for the first revision of `internal_source`, which is there before any upload.
 */
function buildOf(mock: Mock, origin: RevisionOrigin): Promise<Build | undefined> | undefined {
  if (origin.source !== "internal_source") return mock.projects.build(origin);
  const { source_tarball_path: path } = origin.config;
  return path === null || path === undefined ? undefined : buildOfTarball(mock, origin, path);
}

async function buildOfTarball(mock: Mock, origin: RevisionOrigin, path: string): Promise<Build> {
  const { graph_config_path: configPath } = origin.config;
  const tarball = await buildTarball(mock, path, configPath ?? graphConfigFileNames[0]);
  const project = tarball.hasFailed ? undefined : await mock.projects.build(origin);
  return project ? { ...project, lines: [...tarball.lines, ...project.lines] } : tarball;
}

/**
 * Gives a deployment one more revision, whose config becomes the deployment's; an older one that hasn't finished is skipped.
 * The caller holds the deployment's lock.
 */
export async function addRevision(mock: Mock, record: DeploymentRecord, draft: RevisionDraft): Promise<RevisionChange> {
  if (record.deletion) throw badRequest(`Deployment ID ${record.id} is being deleted.`);
  const drafted = draftRevision(mock, record, draft);
  const revision = drafted instanceof Promise ? await drafted : drafted;
  if (!mock.state.deployments.has(record.id)) {
    mock.projects.release(revision.id);
    throw new HttpError(404, `Deployment ID ${record.id} not found.`);
  }
  // While it was built, the one before has gone on.
  const now = mock.clock.now();
  return mock.state.transaction(() => {
    const before = skipUnfinished(mock, record, now);
    mock.state.revisions.put(revision);
    const changed = { ...before, latestRevisionId: revision.id, revisionConfig: revision.config, updatedAt: now };
    const deployment = withCourseOf(changed, revision, now);
    mock.state.deployments.update(deployment);
    return { deployment, revision };
  });
}

/** Ends the latest revision where it hasn't finished. Returns the deployment as it is then, which isn't stored. */
function skipUnfinished(mock: Mock, record: DeploymentRecord, now: number): DeploymentRecord {
  const latest = mock.state.revisions.get(record.latestRevisionId);
  if (!latest || isFinal(currentTransition(latest.transitions, now).status)) return record;
  mock.projects.release(latest.id);
  const skipped = { ...latest, transitions: endWith(latest.transitions, "SKIPPED", now) };
  mock.state.revisions.put(skipped);
  return withCourseOf(record, skipped, now);
}

/** @throws {HttpError} 404 unless the deployment has this revision. */
export function findRevision(mock: Mock, deployment: DeploymentRecord, id: string): RevisionRecord {
  const revision = mock.state.revisions.get(id);
  if (revision?.deploymentId !== deployment.id) throw new HttpError(404, `Revision ID ${id} not found.`);
  return revision;
}

/** Stores another course of a revision, and what follows from it for its deployment. The caller holds the deployment's lock. */
function setCourse(mock: Mock, record: DeploymentRecord, revision: RevisionRecord): RevisionChange {
  const now = mock.clock.now();
  const { status } = currentTransition(revision.transitions, now);
  if (isFinal(status) && status !== "DEPLOYED") mock.projects.release(revision.id);
  const deployment = withCourseOf(record, revision, now);
  mock.state.transaction(() => {
    mock.state.revisions.put(revision);
    mock.state.deployments.update(deployment);
  });
  return { deployment, revision };
}

/** Stops a rollout. @throws {HttpError} 400 for one that has finished. */
export function interruptRevision(mock: Mock, record: DeploymentRecord, id: string): RevisionChange {
  const revision = findRevision(mock, record, id);
  const now = mock.clock.now();
  const { status } = currentTransition(revision.transitions, now);
  if (isFinal(status)) throw badRequest(`Revision ID ${id} can't be interrupted: it is ${status}.`);
  return setCourse(mock, record, { ...revision, transitions: endWith(revision.transitions, "INTERRUPTED", now) });
}

/**
 * Moves a revision on: to its next status, or to `to`.
 * @throws {HttpError} 404 for an unknown revision, 400 when it has finished and `to` isn't given.
 */
export async function advanceRevision(mock: Mock, id: string, to?: string): Promise<RevisionChange> {
  const known = mock.state.revisions.get(id);
  if (!known) throw new HttpError(404, `Revision ID ${id} not found.`);
  return mock.locks.run(known.deploymentId, async () => {
    const revision = mock.state.revisions.get(id);
    const deployment = mock.state.deployments.get(known.deploymentId);
    if (!revision || !deployment) throw new HttpError(404, `Revision ID ${id} not found.`);
    const transitions = advance(revision, to, mock.clock.now());
    if (!transitions) throw badRequest(`Revision ID ${id} has finished: name the status to move it to.`);
    return setCourse(mock, deployment, { ...revision, transitions });
  });
}
