import { isDeepStrictEqual } from "node:util";
import { type Properties, unknown } from "../dynamic-process.ts";
import { earlierNames } from "./aliases.ts";
import { type Difference, decidedReplacement, differenceOf, noDifference } from "./differences.ts";
import type { Execution } from "./execution.ts";
import type { Goal, MonitorHandler, ReadGoal, Registered } from "./monitor.ts";
import { withIgnoredChanges } from "./paths.ts";
import { dependenciesOf, dependentsOf, type ResourceState, urnOf } from "./state.ts";
import { Targets } from "./targets.ts";
import { hasUnknown, revealed } from "./values.ts";

/** Options of a run. */
export interface RunOptions {
  /** URNs: only these are created, changed and deleted. */
  readonly targets?: readonly string[] | undefined;
  readonly targetDependents?: boolean | undefined;
  /** URNs: replaced, whatever changes. */
  readonly replace?: readonly string[] | undefined;
}

/**
 * Decides what happens to each resource that a program declares, like the real engine's step generator, and executes
 * it.
 */
export class StepGenerator implements MonitorHandler {
  readonly #execution: Execution;
  readonly #place: { readonly project: string; readonly stack: string };
  readonly #replaceTargets: ReadonlySet<string>;
  readonly targets: Targets;
  /** The entries of the state before, by URN. */
  readonly olds = new Map<string, ResourceState>();
  readonly #seen = new Set<string>();
  readonly #aliases = new Map<string, string>();
  readonly #aliased = new Map<string, string>();
  readonly #created = new Set<string>();
  readonly #replaced = new Set<string>();
  readonly #skipped = new Set<string>();
  /** URNs with a decision; they are never deleted at the end. */
  readonly #decided = new Set<string>();
  /** URNs that were deleted before the program declared them. */
  readonly deleted = new Set<string>();
  readonly deletedEarly = new Set<ResourceState>();
  /** Problems that a preview found and continued after. */
  readonly errors: string[] = [];

  constructor(execution: Execution, place: { project: string; stack: string }, options: RunOptions) {
    this.#execution = execution;
    this.#place = place;
    this.#replaceTargets = new Set(options.replace);
    this.targets = new Targets(options.targets, options.targetDependents === true);
    for (const state of execution.snapshot.base) {
      if (this.olds.has(state.urn) && state.delete) continue;
      this.olds.set(state.urn, state);
    }
  }

  /** The URNs that the program has declared so far. */
  get declared(): ReadonlySet<string> {
    return this.#seen;
  }

  /** Whether the program declared the resource, under this or another name. */
  isOperatedOn(urn: string): boolean {
    return this.#decided.has(this.#aliased.get(urn) ?? urn);
  }

  async register(goal: Goal): Promise<Registered> {
    const urn = this.#urnFor(goal);
    const { old, alias } = this.#findOld(urn, goal);
    const state = stateOf(urn, goal, alias);
    try {
      const result = await this.#decide(urn, goal, old, state);
      this.#decided.add(urn);
      return { urn, id: result.id, outputs: goal.custom ? result.outputs : {} };
    } catch (error) {
      this.#execution.failed(old === undefined ? "create" : "same", old ?? state, error);
      throw error;
    }
  }

  async read(goal: ReadGoal): Promise<Registered> {
    const whole: Goal = {
      ...goal,
      custom: true,
      propertyDependencies: {},
      protect: undefined,
      retainOnDelete: undefined,
      deleteBeforeReplace: undefined,
      ignoreChanges: [],
      replaceOnChanges: [],
      replacementTrigger: null,
      aliases: [],
      importId: "",
      deletedWith: "",
      replaceWith: [],
    };
    const urn = this.#urnFor(whole);
    const { old } = this.#findOld(urn, whole);
    const state = { ...stateOf(urn, whole, undefined), id: goal.id, external: true };
    const isNew = (dependency: string) => this.#created.has(dependency) || this.#replaced.has(dependency);
    const isUnknown = goal.id === unknown || (this.#execution.preview && goal.dependencies.some(isNew));
    if (old !== undefined && !old.external && old.id !== goal.id) this.#replaced.add(urn);
    const result = await this.#execution.read(state, old, isUnknown);
    this.#decided.add(urn);
    return { urn, id: result.id, outputs: result.outputs };
  }

  #urnFor({ parent, type, name }: Goal): string {
    const urn = urnOf(this.#place.stack, this.#place.project, isRootStack(parent) ? "" : parent, type, name);
    if (this.#seen.has(urn)) throw new Error(`Duplicate resource URN '${urn}'; try giving it a unique name`);
    if (parent !== "" && !this.#seen.has(parent)) throw new Error(`could not find parent resource ${parent}`);
    this.#seen.add(urn);
    return urn;
  }

  #findOld(urn: string, goal: Goal): { old: ResourceState | undefined; alias: string | undefined } {
    const previous = this.#aliased.get(urn);
    if (previous !== undefined) throw new Error(`${urn} is the earlier name of ${previous}`);
    for (const name of [urn, ...earlierNames(goal, this.#place, this.#aliases)]) {
      const old = this.olds.get(name);
      if (old === undefined) continue;
      if (name === urn) return { old, alias: undefined };
      if (this.#seen.has(name) || this.#aliased.has(name)) {
        throw new Error(`${urn} has the alias ${name}, which is a resource of the program or taken by another`);
      }
      this.#aliased.set(name, urn);
      this.#aliases.set(urn, name);
      return { old, alias: name };
    }
    return { old: undefined, alias: undefined };
  }

  async #decide(urn: string, goal: Goal, old: ResourceState | undefined, state: ResourceState): Promise<ResourceState> {
    const execution = this.#execution;
    const oldImportId = old === undefined || old.importId === "" ? old?.id : old.importId;
    const isImport =
      goal.custom && goal.importId !== "" && (old === undefined || old.external || oldImportId !== goal.importId);
    if (isImport) {
      const imported = await execution.import({ ...state }, old);
      return this.#follow(urn, goal, imported, state);
    }
    const isTargeted = this.targets.includes(state);
    if (goal.custom && isTargeted) {
      const isNew = old === undefined || this.deleted.has(urn) || old.external || this.#isReplaceTarget(urn, old);
      const news = old === undefined ? goal.inputs : withIgnoredChanges(goal.inputs, old.inputs, goal.ignoreChanges);
      state.inputs = isNew
        ? await execution.calls.check(urn, {}, goal.inputs)
        : await execution.calls.check(urn, old.inputs, news);
      if (!execution.preview && hasUnknown(state.inputs)) throw new Error(`${urn} has inputs that are never known`);
    } else if (!isTargeted) state.inputs = old?.inputs ?? {};
    this.#refuseSkippedDependencies(state, isTargeted);
    if (old !== undefined && this.deleted.has(urn)) {
      this.deleted.delete(urn);
      this.#replaced.add(urn);
      execution.replace(state, old);
      return execution.create(state, { old, pendingDelete: false });
    }
    if (old?.external === true) {
      this.#created.add(urn);
      return execution.create(state, { old, pendingDelete: true });
    }
    this.targets.record(state, isTargeted);
    if (old === undefined) {
      if (!isTargeted) {
        this.#skipped.add(urn);
        execution.steps.push({ operation: "same", urn, id: "" });
        return state;
      }
      this.#created.add(urn);
      return execution.create(state);
    }
    if (!isTargeted) return execution.same(old, { ...old, alias: undefined });
    return this.#follow(urn, goal, old, state);
  }

  /** Handles an existing resource: same, update or replace. */
  async #follow(urn: string, goal: Goal, old: ResourceState, state: ResourceState): Promise<ResourceState> {
    const execution = this.#execution;
    if (
      goal.importId !== "" &&
      state.custom &&
      old.importId === goal.importId &&
      !execution.snapshot.base.includes(old)
    ) {
      const news = withIgnoredChanges(goal.inputs, old.inputs, goal.ignoreChanges);
      state.inputs = await execution.calls.check(urn, old.inputs, news);
    }
    const difference = await this.#difference(urn, goal, old, state);
    if (difference.replaces || old.pendingReplacement) return this.#replace(urn, goal, old, state, difference);
    if (difference.changed || old.initErrors.length > 0) return execution.update(old, state);
    return execution.same(old, state);
  }

  async #difference(urn: string, goal: Goal, old: ResourceState, state: ResourceState): Promise<Difference> {
    if (isTriggered(state.replacementTrigger, old.replacementTrigger)) return decidedReplacement;
    if (this.#isReplaceTarget(urn, old)) return decidedReplacement;
    if (state.replaceWith.some((other) => this.#replaced.has(other))) return decidedReplacement;
    if (state.deletedWith !== "" && this.#replaced.has(state.deletedWith)) return decidedReplacement;
    if (!state.custom) {
      return isDeepStrictEqual(old.inputs, state.inputs) ? noDifference : { ...noDifference, changed: true };
    }
    const result = await this.#execution.calls.diff(urn, old.id, old.outputs, state.inputs);
    const inputs = { olds: old.inputs, news: state.inputs };
    return differenceOf(result, inputs, { ...goal, hasInitErrors: old.initErrors.length > 0 });
  }

  async #replace(
    urn: string,
    goal: Goal,
    old: ResourceState,
    state: ResourceState,
    difference: Difference,
  ): Promise<ResourceState> {
    const execution = this.#execution;
    if (state.protect && old.protect) {
      const message = `unable to replace resource ${urn} as it is currently marked for protection`;
      if (!execution.preview) throw new Error(message);
      this.errors.push(message);
    }
    if (goal.importId !== "" && !execution.preview) {
      throw new Error(`${urn}: previously-imported resources that still specify an ID may not be replaced`);
    }
    this.#replaced.add(urn);
    if (state.custom && !this.#isReplaceTarget(urn, old)) {
      state.inputs = await execution.calls.check(urn, {}, goal.inputs);
    }
    if (!(goal.deleteBeforeReplace ?? difference.deleteBeforeReplace)) {
      const created = await execution.create(state, { old, pendingDelete: !old.pendingReplacement });
      execution.replace(state, old);
      return created;
    }
    for (const dependent of (await this.#dependentReplacements(old)).toReversed()) {
      await this.#deleteDependent(dependent, urn);
    }
    if (!old.pendingReplacement) {
      this.deleted.add(old.urn);
      await execution.delete(old, { replacing: true, beforeCreation: true, deletedAlong: false });
    }
    execution.replace(state, old);
    return execution.create(state, { old, pendingDelete: false });
  }

  async #deleteDependent(dependent: ResourceState, cause: string): Promise<void> {
    if (this.deletedEarly.has(dependent) || dependent.pendingReplacement) return;
    if (dependent.protect && !dependent.delete) {
      throw new Error(`unable to replace resource ${dependent.urn} as part of replacing ${cause}: it is protected`);
    }
    this.deleted.add(dependent.urn);
    this.deletedEarly.add(dependent);
    await this.#execution.delete(dependent, {
      replacing: !dependent.delete,
      beforeCreation: !dependent.delete,
      deletedAlong: dependent.deletedWith !== "" && this.deleted.has(dependent.deletedWith),
    });
  }

  /**
   * The resources that are replaced together with `root` because their inputs depend on it, in the order of the state.
   */
  async #dependentReplacements(root: ResourceState): Promise<ResourceState[]> {
    const { base } = this.#execution.snapshot;
    if (!base.includes(root)) return [];
    const urns = new Set([root.urn]);
    const found: ResourceState[] = [];
    const ignored = new Set([...this.#decided, ...this.deleted]);
    for (const dependent of dependentsOf(root, base, { ignored })) {
      if (!(await this.#isReplacedWith(dependent, urns))) continue;
      urns.add(dependent.urn);
      found.push(dependent);
    }
    for (const state of this.olds.values()) {
      const cascades = state.replaceWith.includes(root.urn) || state.deletedWith === root.urn;
      if (cascades && !found.includes(state)) found.push(state);
    }
    return found;
  }

  async #isReplacedWith(state: ResourceState, replaced: ReadonlySet<string>): Promise<boolean> {
    if (!state.custom || state.external) return false;
    if (state.deletedWith !== "" && replaced.has(state.deletedWith)) return true;
    const isAffected = (name: string) => (state.propertyDependencies[name] ?? []).some((urn) => replaced.has(urn));
    const names = Object.keys(state.inputs);
    if (!names.some(isAffected)) return false;
    const news: Properties = Object.fromEntries(
      names.map((name) => [name, isAffected(name) ? unknown : state.inputs[name]]),
    );
    const result = await this.#execution.calls.diff(state.urn, state.id, state.outputs, news);
    return differenceOf(result, { olds: state.inputs, news }, { ...state, hasInitErrors: false }).replaces;
  }

  #refuseSkippedDependencies(state: ResourceState, isTargeted: boolean): void {
    if (!this.targets.areConstrained || !isTargeted) return;
    const missing = [...dependenciesOf(state), state.parent].find((urn) => this.#skipped.has(urn));
    if (missing === undefined) return;
    const message = `${state.urn} depends on ${missing}, which must be created and isn't a target`;
    if (!this.#execution.preview) throw new Error(message);
    this.errors.push(message);
  }

  #isReplaceTarget(urn: string, old: ResourceState | undefined): boolean {
    return this.#replaceTargets.has(urn) || old?.taint === true;
  }
}

function isRootStack(parent: string): boolean {
  return parent.includes("::pulumi:pulumi:Stack::");
}

function isTriggered(after: unknown, before: unknown): boolean {
  const [now, earlier] = [revealed(after), revealed(before)];
  if (hasUnknown(now) || hasUnknown(earlier)) return true;
  if (now === null || earlier === null) return false;
  return !isDeepStrictEqual(now, earlier);
}

function stateOf(urn: string, goal: Goal, alias: string | undefined): ResourceState {
  return {
    urn,
    type: goal.type,
    custom: goal.custom,
    id: "",
    inputs: goal.inputs,
    outputs: {},
    parent: isRootStack(goal.parent) ? "" : goal.parent,
    dependencies: goal.dependencies,
    propertyDependencies: goal.propertyDependencies,
    protect: goal.protect ?? false,
    retainOnDelete: goal.retainOnDelete ?? false,
    external: false,
    delete: false,
    pendingReplacement: false,
    taint: false,
    initErrors: [],
    importId: goal.importId,
    deletedWith: goal.deletedWith,
    replaceWith: goal.replaceWith,
    replacementTrigger: goal.replacementTrigger,
    ignoreChanges: goal.ignoreChanges,
    replaceOnChanges: goal.replaceOnChanges,
    additionalSecretOutputs: goal.additionalSecretOutputs,
    alias,
  };
}
