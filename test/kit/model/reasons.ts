import { ownerOf, readMarker } from "../../../core/reconcile/ownership.ts";
import type { StackKey } from "./commands.ts";
import { isContested, urnIn } from "./declared.ts";
import type { Entry } from "./driver.ts";
import type { Model } from "./model.ts";
import type { Platform } from "./platform.ts";
import type { DeclaredProgram } from "./program.ts";

/** What may explain a failed run. */
export interface FailedRun {
  readonly model: Model;
  readonly stack: StackKey;
  readonly stackName: string;
  readonly program: DeclaredProgram;
  readonly entries: readonly Entry[];
  readonly before: Platform;
  readonly error: string;
}

/** Failures caused by the engine itself. */
const engineReasons = [
  /protect/,
  /isn't a target|not specified in --target list/,
  /could not be found in the stack/,
  /has the alias|is the earlier name of|Duplicate resource|aliased/,
];

/** Refusals caused by the declaration. */
const refusals = [
  // A field that can't be cleared once it is set.
  /was declared and can't be cleared/,
  // A deployment with another source, which is adopted or kept.
  /can't become the declared one/,
  // A replacement under the same name that would keep the old deployment.
  /with the resource option (retainOnDelete: true|deleteBeforeReplace: false) the old deployment would keep the name/,
];

/** Whether a reason explains why a run failed; without one, it should have succeeded. */
export function hadReasonToFail(run: FailedRun): boolean {
  const { error } = run;
  if ([...engineReasons, ...refusals].some((reason) => reason.test(error))) return true;
  if (/is in use by deployment|the deployment of that name .* belongs to the resource/.test(error))
    return isNameTaken(run);
  const isGoneElsewhere = run.entries.some(({ id }) => run.model.deletedElsewhere.has(id) || isTakenOver(run, id));
  // Another resource of the same stack adopted it, even in a failed run whose change was reverted.
  if (error.includes(`is owned by pulumi#urn:pulumi:${run.stackName}::`)) return true;
  if (/deleted outside|does not exist|not found|is owned by .* now/i.test(error)) return isGoneElsewhere;
  return false;
}

function isTakenOver({ model, stack }: FailedRun, id: string): boolean {
  return model.owners.get(id) !== stack;
}

/**
 * A name that another resource has, here or elsewhere. The resource's own name is a reason only if its options make the
 * replacement impossible.
 */
function isNameTaken({ program, entries, before, stackName, error }: FailedRun): boolean {
  for (const record of before.values()) {
    const { id, name } = record;
    if (!error.includes(id) && !error.includes(JSON.stringify(name))) continue;
    const own = program.deployments.find((declared) => declared.name === name);
    if (own === undefined || isContested(program, name)) return true;
    const urn = urnIn(stackName, own);
    const holder = entries.find((entry) => entry.id === id);
    if (holder?.urn !== urn) return true;
    // A create doesn't see the state. It keeps a deployment that has the marker of its own URN. An imported, renamed or
    // moved deployment has no marker or an older one, and needs `adopt`.
    if (ownerOf(readMarker(record.secrets) ?? "") !== `pulumi#${urn}`) return true;
    if (own.retainOnDelete === true || own.deleteBeforeReplace === false) return true;
  }
  // Created in the same run by another declaration.
  return program.deployments.some(({ name }) => isContested(program, name));
}
