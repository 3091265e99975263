import type { AgentServer } from "../../client/agent-server.ts";
import type { ControlPlane } from "../../client/client.ts";
import { ConfigError } from "../../client/errors.ts";
import type { Deployment } from "../../client/wire/deployments.ts";
import type { Revision } from "../../client/wire/revisions.ts";
import type { DesiredDeployment } from "../../declare/deployment.ts";
import { isSameRepository } from "../../declare/deployment.ts";
import type { DeclaredDeployment } from "../../declare/file/declarative-file.ts";
import type { StepOptions } from "../../rollout/waiting.ts";
import type { ContentChange } from "../agent-content.ts";
import { isBeingDeleted } from "../apply.ts";
import { compareEnvironment, withKeptReferences } from "../environment.ts";
import { adoptionWarning, ownershipClause } from "../ownership.ts";
import { type Change, creationChanges, planUpdate } from "../plan.ts";
import { deadEndOf, isLive } from "../update.ts";
import { deploymentOwner, isOwnedByFile } from "./owner.ts";

/** How a declarative file is planned and applied. */
export interface FileOptions extends StepOptions {
  /** The file's owner, of {@link fileOwner}. */
  owner: string;
  /** Take over deployments of declared names that somebody else owns, or nobody. @default false */
  adopt?: boolean | undefined;
  /**
   * Delete what the file owns and no longer declares: deployments, assistants, crons, and undeclared entries of the
   * environments of its deployments. @default they are kept
   */
  prune?: boolean | undefined;
  /** Keys of the deployments to plan, apply or prune; no deployment is deleted then. @default all */
  only?: readonly string[] | undefined;
  /** The commit that must be live on the deployments of its repository. @default whatever they have */
  commit?: PushedCommit | undefined;
  /** The client of a deployment's agent server, for its assistants, crons and store. */
  connect: (url: string) => AgentServer;
}

export interface PushedCommit {
  repositoryUrl: string;
  /** A branch by its short name, a tag as `refs/tags/<tag>`; deployments of other refs are left alone. @default any */
  ref?: string | undefined;
  /** The full SHA. */
  sha: string;
}

/** What an apply does with one deployment. */
export interface PlannedDeployment {
  key: string;
  name: string;
  /**
   * `create`; `revision`: rolls out a new revision; `patch`: changes in place; `follow`: sends nothing and waits for the
   * rollout in progress; `nothing`; `refused`: the apply stops here, for the reason in `refusal`.
   */
  action: "create" | "revision" | "patch" | "follow" | "nothing" | "refused";
  changes: readonly Change[];
  /** Changes of the agent server's content. */
  content: readonly ContentChange[];
  /** What stays as it is although it isn't declared, and what the plan can't know. */
  notes: readonly string[];
  refusal?: string;
  /** Whether the agent server couldn't be compared, so that only an apply shows what its content lacks. */
  isContentUnknown?: boolean;
  /** `undefined` before the creation. */
  deployment?: Deployment;
  dependsOn: readonly string[];
}

/** The commit that a deployment must be built from; `undefined` where the pushed one isn't of its repository and ref. */
export function commitFor(
  { source, sourceConfig = {}, sourceRevisionConfig = {} }: DesiredDeployment,
  commit: PushedCommit | undefined,
): string | undefined {
  const { repoUrl } = sourceConfig;
  if (commit === undefined || source !== "github" || repoUrl === undefined) return undefined;
  if (!isSameRepository(repoUrl.toLowerCase(), commit.repositoryUrl.toLowerCase())) return undefined;
  const { repoRef } = sourceRevisionConfig;
  return commit.ref === undefined || repoRef === undefined || repoRef === commit.ref ? commit.sha : undefined;
}

/** Plans one deployment from what is there; the content of its agent server isn't part of it. */
export function planDeclared(
  client: ControlPlane,
  { key, desired: declared, dependsOn }: DeclaredDeployment,
  deployment: Deployment | undefined,
  latest: Revision | undefined,
  options: FileOptions,
): PlannedDeployment {
  const owner = deploymentOwner(options.owner, declared.name);
  const base = { key, name: declared.name, content: [], dependsOn };
  if (deployment === undefined || isBeingDeleted(deployment)) {
    const notes =
      deployment === undefined ? [] : [`Waits until deployment ${deployment.id} is gone (${deployment.status}).`];
    return { ...base, action: "create", changes: creationChanges(declared, owner), notes };
  }
  const refused = (refusal: string): PlannedDeployment => ({
    ...base,
    action: "refused",
    changes: [],
    notes: [],
    refusal: client.redactor.text(refusal),
    deployment,
  });
  try {
    const update = updateOptions(declared, deployment, options);
    const plan = planUpdate(update.desired, deployment, update);
    if (plan.action === "replace") return { ...refused(cannotChange(plan.changes)), changes: plan.changes };
    const notes = [...update.notes];
    const changes = [...plan.changes];
    let { action } = plan as { action: PlannedDeployment["action"] };
    if (action !== "revision") {
      const pending = pendingRollout(client, declared, deployment, latest, options);
      if (pending?.reason !== undefined) {
        changes.push({ path: "triggers", effect: "revision", reason: pending.reason });
        action = "revision";
      } else if (pending !== undefined && action === "nothing") action = "follow";
    }
    return { ...base, action, changes, notes, deployment };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return refused(error.message);
  }
}

/** Why the latest revision doesn't do, or that it is still rolling out; `undefined` if it is live. */
function pendingRollout(
  client: ControlPlane,
  desired: DesiredDeployment,
  deployment: Deployment,
  latest: Revision | undefined,
  options: FileOptions,
): { reason?: string } | undefined {
  const commit = commitFor(desired, options.commit);
  if (commit !== undefined && latest?.source_revision_config.repo_commit_sha !== commit) {
    return { reason: `commit ${commit} must go live` };
  }
  if (latest === undefined && deployment.active_revision_id === deployment.latest_revision_id) return undefined;
  if (isLive(deployment, latest)) return undefined;
  const deadEnd = deadEndOf(latest, client.clock.now());
  return deadEnd === undefined ? {} : { reason: `the latest revision ${deadEnd}` };
}

/** What is compared and sent for a deployment that exists, and how. */
export interface FileUpdate {
  desired: DesiredDeployment;
  marker: string;
  /** `changed`: values that the platform hides are sent again, since nothing else tells whether they differ. */
  unreadable: "changed" | "same";
  droppable: readonly string[] | "all";
  takesOver: "attempted" | undefined;
  notes: readonly string[];
}

/** @throws {@link ConfigError} when somebody else owns the deployment, and `adopt` isn't set */
export function updateOptions(declared: DesiredDeployment, deployment: Deployment, options: FileOptions): FileUpdate {
  const marker = deploymentOwner(options.owner, declared.name);
  const isOwn = isOwnedByFile(deployment, options.owner);
  if (!isOwn && options.adopt !== true) throw notOwned(deployment, declared);
  const notes = isOwn ? [] : [adoptionWarning(deployment)];
  const declaresAny = declared.env !== undefined || declared.secrets !== undefined;
  const droppable = options.prune === true && declaresAny ? "all" : Object.keys(declared.secretReferences ?? {});
  const references = options.prune === true && declared.secretReferences !== undefined ? "all" : [];
  const { desired, dropped } = withKeptReferences(declared, deployment, references);
  if (dropped.length > 0) notes.push(`Drops the secret references ${dropped.join(", ")}.`);
  const visible = compareEnvironment(desired, deployment.secrets, { droppable });
  const { kept } = visible;
  if (kept.length > 0) notes.push(`Not declared, so kept: ${kept.map(({ name }) => name).join(", ")}.`);
  // Where the platform builds a push by itself, values that are sent again would make a second revision.
  const buildsCommit = commitFor(declared, options.commit) !== undefined && buildsOnPush(desired, deployment);
  const all = compareEnvironment(desired, deployment.secrets, { droppable, unreadable: "changed" });
  const hidden = all.changed.filter((name) => !visible.changed.includes(name));
  if (hidden.length > 0) {
    const what = buildsCommit ? "so they aren't sent with this push" : "so they are sent again";
    notes.push(`The platform hides the values of ${hidden.join(", ")}, ${what}.`);
  }
  return {
    desired,
    marker,
    unreadable: buildsCommit ? "same" : "changed",
    droppable,
    takesOver: isOwn ? undefined : "attempted",
    notes,
  };
}

function buildsOnPush({ sourceConfig }: DesiredDeployment, { source_config }: Deployment): boolean {
  return (sourceConfig?.buildOnPush ?? source_config.build_on_push) === true;
}

function notOwned(deployment: Deployment, { name }: DesiredDeployment): ConfigError {
  const clause = ownershipClause(deployment);
  return new ConfigError(`name: ${JSON.stringify(name)} is in use by deployment ${deployment.id}, ${clause}.`, {
    path: "name",
    hint: "Choose another name, or set `adopt` to take that deployment over.",
  });
}

function cannotChange(changes: readonly Change[]): string {
  const paths = changes.filter(({ effect }) => effect === "replace").map(({ path, from }) => `${path} (${from} there)`);
  return `${paths.join(", ")} can't change on a deployment. Declare what is there, use another name, or destroy it first: its threads and store are lost then.`;
}
