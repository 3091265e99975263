import type { StackKey } from "./commands.ts";
import { secretValues } from "./commands.ts";
import { continuationOf, isContested, isDeployment, urnIn } from "./declared.ts";
import type { Entry, Result } from "./driver.ts";
import type { Model } from "./model.ts";
import { environmentOf, isUntouched, type Platform } from "./platform.ts";
import { type DeclaredDeployment, type DeclaredProgram, repositoryUrl, upstreamOutput } from "./program.ts";
import { Violation } from "./violation.ts";

/** One command on a stack and what it did, as seen from outside. */
export interface Observed {
  readonly model: Model;
  readonly stack: StackKey;
  readonly stackName: string;
  /** The program of the run; empty for a destroy. */
  readonly program: DeclaredProgram;
  /** Whether it was limited to some resources. */
  readonly isPartial: boolean;
  readonly before: Platform;
  readonly after: Platform;
  readonly entriesBefore: readonly Entry[];
  readonly entriesAfter: readonly Entry[];
  /** The preview that the user saw first. */
  readonly preview: Result | undefined;
  readonly result: Result;
  readonly stateText: string;
}

const describe = (value: unknown) => JSON.stringify(value);

/** The run's operations on a resource, in order. */
function doneAbout({ result }: Observed, urn: string): string {
  const operations = result.steps.filter((step) => step.urn === urn).map(({ operation }) => operation);
  return operations.length === 0 ? "nothing was done about it" : operations.join(", then ");
}

/** Deployments that were neither made nor adopted here stay unchanged, unless the program says `adopt`. */
export function othersAreUnchanged({ model, stack, program, before, after }: Observed): void {
  const adopts = (name: string) =>
    program.deployments.some((declared) => declared.name === name && declared.adopt === true);
  for (const [id, record] of before) {
    if (model.owners.get(id) === stack) continue;
    const now = after.get(id);
    const who = `${record.name} (${id}) belongs to ${model.owners.get(id) ?? "nobody"}, not to ${stack}`;
    if (now === undefined) throw new Violation("what belongs to somebody else was deleted", who);
    // With `adopt`, changing another owner's deployment is intended.
    if (!adopts(record.name) && !isUntouched(record, now)) {
      throw new Violation("what belongs to somebody else was changed", who);
    }
  }
}

/** The preview showed every deletion, or warned about it. */
export function deletionsWereAnnounced({ before, after, entriesBefore, preview }: Observed): void {
  if (preview === undefined || preview.error !== undefined) return;
  const shown = preview.steps.filter(({ operation }) => operation === "delete" || operation === "delete-replaced");
  const announced = preview.warnings.filter(({ message }) => /may be replaced/.test(message));
  const ids = new Set(shown.map(({ id }) => id));
  for (const { urn, id } of entriesBefore) if (announced.some((warning) => warning.urn === urn)) ids.add(id);
  for (const [id, { name }] of before) {
    if (after.has(id) || ids.has(id)) continue;
    throw new Violation(
      "a deletion was not announced",
      `${name} (${id}); the preview showed ${describe(preview.steps)}`,
    );
  }
}

/**
 * A deployment is deleted only if the program no longer declares it, an immutable field changes, or its options say
 * that a replacement deletes first.
 */
export function deletionsHadACause(observed: Observed): void {
  const { before, after, entriesBefore, program, stackName } = observed;
  for (const [id, record] of before) {
    const holders = entriesBefore.filter((entry) => entry.id === id);
    const [holder] = holders;
    if (after.has(id) || holder === undefined || holders.length > 1 || holder.delete) continue;
    const declared = continuationOf(program, stackName, holder.urn);
    if (declared === undefined || declared.deleteBeforeReplace === true) continue;
    const { repo_url: repository } = record.sourceConfig;
    if (declared.name !== record.name || repositoryUrl(declared.repository) !== repository) continue;
    throw new Violation(
      "a deletion had no cause",
      `${record.name} (${id}) is still declared, as ${describe(declared)}; ${doneAbout(observed, holder.urn)}`,
    );
  }
}

/** Every id in the state exists on the platform and is unique. */
export function stateIsTrue(observed: Observed): void {
  const { model, stack, after, entriesAfter, program, isPartial } = observed;
  const entries = entriesAfter.filter((entry) => isDeployment(entry) && !entry.pendingReplacement);
  for (const { id, urn } of entries) {
    // Only the next refresh shows what happened elsewhere.
    const isGoneElsewhere = model.deletedElsewhere.has(id) || model.owners.get(id) !== stack;
    // If two resources of one program have the same name, the one that adopted the deployment may delete it.
    const holders = new Set(observed.entriesBefore.filter((before) => before.id === id).map((before) => before.urn));
    const isExcused = isGoneElsewhere || holders.size > 1;
    if (!after.has(id) && !isExcused) {
      throw new Violation("a state holds what the platform hasn't", `${urn}: ${id}; ${doneAbout(observed, urn)}`);
    }
    const isTwice = entries.filter((entry) => entry.id === id).length > 1;
    const name = after.get(id)?.name;
    // With `adopt`, two declarations of one name share a deployment. And a run that is limited to the new name of a
    // resource leaves the old entry to the next full run.
    const isWanted = name !== undefined && isContested(program, name);
    if (isTwice && !isWanted && !isPartial && !isGoneElsewhere) {
      throw new Violation("a state holds one deployment twice", `${urn}: ${id}`);
    }
  }
}

/** The state contains every deployment that the stack made. */
export function nothingIsLost({ model, stack, after, entriesAfter }: Observed): void {
  for (const [id, { name }] of after) {
    // Except those made by a killed provider, and retained ones.
    if (model.owners.get(id) !== stack || model.abandoned.has(id)) continue;
    if (!entriesAfter.some((entry) => entry.id === id)) {
      throw new Violation("a deployment is in no state", `${name} (${id}) of ${stack}`);
    }
  }
}

/** Neither a state file nor a message of the provider contains a secret. */
export function secretsAreKept({ stateText, result, preview }: Observed): void {
  const words = describe([result.warnings, result.error, preview?.warnings, preview?.error]);
  for (const secret of secretValues) {
    if (stateText.includes(secret)) throw new Violation("a secret stands in the open", `in the state: ${secret}`);
    if (words.includes(secret)) throw new Violation("a secret stands in the open", `in a message: ${words}`);
  }
}

/** Environment entries that were added elsewhere stay. */
export function additionsStay({ model, after, program }: Observed): void {
  for (const [id, names] of model.addedElsewhere) {
    const record = after.get(id);
    if (record === undefined) continue;
    const there = environmentOf(record);
    const missing = [...names].find((name) => !Object.hasOwn(there, name));
    if (
      missing === undefined ||
      program.deployments.some(({ env }) => env !== undefined && Object.hasOwn(env, missing))
    )
      continue;
    throw new Violation("what somebody else added is gone", `${missing} of ${record.name} (${id})`);
  }
}

/** After a full run, the platform has what the program declares. */
export function declarationsAreMet({ program, stackName, after, entriesAfter }: Observed): void {
  for (const declared of program.deployments) {
    // Two declarations of one name contradict each other.
    if (isContested(program, declared.name)) continue;
    const urn = urnIn(stackName, declared);
    const entry = entriesAfter.find((candidate) => candidate.urn === urn && !candidate.delete);
    const record = entry === undefined ? undefined : after.get(entry.id);
    if (entry === undefined || record === undefined) {
      throw new Violation("what is declared isn't there", `${urn} (${entry?.id ?? "not in the state"})`);
    }
    // Ignored fields may have any value.
    if (declared.ignoreChanges !== undefined) continue;
    const [is, shouldBe] = [factsOf(record), wantedOf(declared, program)];
    for (const [name, value] of Object.entries(shouldBe)) {
      if (is[name] === value) continue;
      throw new Violation(
        "what is declared isn't there",
        `${urn}: ${name} is ${describe(is[name])}, declared ${describe(value)}`,
      );
    }
  }
}

type Record = Platform extends ReadonlyMap<string, infer Value> ? Value : never;

function factsOf(record: Record): { readonly [name: string]: unknown } {
  const entries = Object.entries(environmentOf(record)).map(([name, value]) => [`entry ${name}`, value]);
  return {
    name: record.name,
    repository: record.sourceConfig.repo_url,
    ref: record.revisionConfig.repo_ref,
    displayName: record.displayName,
    buildCommand: record.sourceConfig.build_command,
    ...Object.fromEntries(entries),
  };
}

function wantedOf(declared: DeclaredDeployment, program: DeclaredProgram): { [name: string]: unknown } {
  const entries = Object.entries({ ...declared.env, ...declared.secrets }).map(([name, value]) => [
    `entry ${name}`,
    value,
  ]);
  return {
    name: declared.name,
    repository: repositoryUrl(declared.repository),
    ref: declared.ref,
    ...(declared.displayName === undefined ? {} : { displayName: declared.displayName }),
    ...(declared.fromUpstream === true && program.upstream !== undefined ? { buildCommand: upstreamOutput } : {}),
    ...Object.fromEntries(entries),
  };
}
