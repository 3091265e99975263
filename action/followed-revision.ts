import type { Deployment } from "../core/client/wire/deployments.ts";
import type { Revision } from "../core/client/wire/revisions.ts";
import { isBeforeBuild, meaningOf } from "../core/client/wire/revisions.ts";
import type { DesiredDeployment } from "../core/declare/deployment.ts";
import { secretValuesOf } from "../core/reconcile/environment.ts";
import { type PlanOptions, planUpdate } from "../core/reconcile/plan.ts";
import type { Session } from "./session.ts";
import type { TargetSource } from "./target.ts";

/** What a run would roll out, and the options of its plan. */
export interface Rollout {
  desired: DesiredDeployment;
  source: Pick<TargetSource, "ref" | "commit">;
  planOptions: PlanOptions;
  /** Whether an earlier attempt of this run made the revision. */
  isOwn: (revisionId: string) => boolean;
  /** Whether this is a re-run. */
  isRerun: boolean;
}

/**
 * The latest revision of a deployment, if its rollout is in progress. Redacts the deployment's secrets from its logs.
 */
export async function revisionInProgress(
  { client, inputs, signal }: Session,
  deployment: Deployment,
): Promise<Revision | undefined> {
  const { id, latest_revision_id: latestId } = deployment;
  if (latestId === undefined || latestId === null) return undefined;
  const latest = await client.revisions.find(id, latestId, { signal });
  if (latest === undefined || meaningOf(latest.status) !== "waiting") return undefined;
  client.redactor.add(secretValuesOf(deployment, inputs.declared.env));
  return latest;
}

/**
 * The revision in progress that deploys the same as this run would, made by an earlier attempt or a run that didn't
 * wait: a second one would only supersede it, and a build longer than the timeout would never go live. The log says why
 * a revision isn't followed.
 */
export async function revisionToFollow(
  session: Session,
  existing: Deployment,
  rollout: Rollout,
): Promise<Revision | undefined> {
  const { client, console, signal } = session;
  const latest = await revisionInProgress(session, existing);
  if (latest === undefined) return undefined;
  const deployment = await client.deployments.get(existing.id, { signal });
  if (deployment.latest_revision_id !== latest.id) return undefined;
  const reason = reasonNotToFollow(latest, deployment, rollout);
  if (reason === undefined) {
    console.info(
      `Revision ${latest.id} is ${latest.status} and deploys the same: following it instead of creating another.`,
    );
    return latest;
  }
  console.info(`Revision ${latest.id} is ${latest.status}; a new one takes its place, because ${reason}.`);
  return undefined;
}

/**
 * Why a revision in progress doesn't deploy the same as a run would, as the end of a sentence; `undefined` if it does.
 * Pure.
 */
export function reasonNotToFollow(latest: Revision, deployment: Deployment, rollout: Rollout): string | undefined {
  const { desired, planOptions, isOwn } = rollout;
  const isImage = desired.sourceRevisionConfig?.imageUri !== undefined;
  const otherSource = isImage ? imageMismatch(latest, rollout) : commitMismatch(latest, rollout);
  if (otherSource !== undefined) return otherSource;
  const { changes } = planUpdate(desired, deployment, { ...planOptions, unreadable: "same" });
  if (changes.length > 0) return `what is declared differs from it: ${changes.map(({ path }) => path).join(", ")}`;
  if (isOwn(latest.id)) return undefined;
  const { action } = planUpdate(desired, deployment, { ...planOptions, unreadable: "changed" });
  return action === "nothing"
    ? undefined
    : "the platform hides the environment's values, so whether they changed can't be seen";
}

function commitMismatch(
  { id, status, source_revision_config: config }: Revision,
  { source: { ref, commit }, isOwn }: Rollout,
): string | undefined {
  const { repo_commit_sha: sha } = config;
  const isKnown = sha !== undefined && sha !== null;
  if (isKnown && commit !== undefined) return sha === commit ? undefined : `it is of commit ${sha}, not of ${commit}`;
  // A tag doesn't move, and the plan compares the refs.
  if (ref?.startsWith("refs/tags/") === true || isOwn(id)) return undefined;
  if (isKnown) return "this run names no commit to compare with its own";
  return isBeforeBuild(status) ? undefined : "its commit isn't known";
}

/** The plan compares the images' names; this is about an image that was pushed again under the same tag. */
function imageMismatch({ id }: Revision, { desired, source: { commit }, isOwn, isRerun }: Rollout): string | undefined {
  const { imageUri = "" } = desired.sourceRevisionConfig ?? {};
  const isFixed = imageUri.includes("@sha256:") || (commit !== undefined && imageUri.includes(commit.slice(0, 7)));
  return isFixed || isRerun || isOwn(id)
    ? undefined
    : `its image may be an older one of the same tag: neither a digest nor the commit is in ${imageUri}`;
}
