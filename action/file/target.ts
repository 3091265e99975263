import { asFields, asText, type Fields, type WorkflowEvent } from "../event.ts";
import { targetOf } from "../event-target.ts";
import { refuse, type Target } from "../target.ts";
import type { FileInputs } from "./inputs.ts";

/** What a run does with a file. */
export type FileTask = Exclude<Target, { kind: "skip" | "refuse" | "look-up" | "redeploy" }>;

/**
 * Decides what to do with a file. The rules are those of a single deployment, but under `auto` an open pull request gets
 * a plan, and the ref is the file's own.
 * @param found the pull request of an earlier `look-up`, as GitHub returned it
 */
export function fileTargetOf(
  event: WorkflowEvent,
  { operation, pullRequest }: Pick<FileInputs, "operation" | "pullRequest">,
  found?: Fields,
): Target {
  const target = targetOf(event, { operation, pullRequest, needsRef: false }, found);
  if (target.kind === "preview" && operation === "auto") {
    // A merge would deploy the base branch.
    const pull = found ?? asFields(event.payload.pull_request);
    const source = { ref: asText(asFields(pull.base).ref), commit: undefined, isPush: false };
    return { kind: "plan", source, pullRequest: target.pullRequest };
  }
  if (target.kind === "delete" && target.onlyRef !== undefined) {
    return refuse(
      "operation",
      `The event is about the deleted ref ${target.onlyRef}, and the deployments of a file may come from several: delete them from another event, such as workflow_dispatch.`,
    );
  }
  return event.name === "workflow_run" ? withHead(event, target) : target;
}

/** The commit of a workflow run has to go live only where its branch is deployed. */
function withHead({ payload }: WorkflowEvent, target: Target): Target {
  if (target.kind !== "deploy" && target.kind !== "plan") return target;
  const { commit } = target.source;
  const branch = asText(asFields(payload.workflow_run).head_branch);
  return commit === undefined || branch === undefined
    ? target
    : { ...target, source: { ref: branch, commit, isPush: false } };
}
