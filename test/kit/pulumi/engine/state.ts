import type { Properties } from "../dynamic-process.ts";

/** One entry of a stack's state. Several may have the same URN, but at most one that isn't pending deletion. */
export interface ResourceState {
  urn: string;
  type: string;
  /** False for a component, which has no provider. */
  custom: boolean;
  id: string;
  /** The checked inputs of the last successful operation; secrets are wrapped. */
  inputs: Properties;
  outputs: Properties;
  parent: string;
  dependencies: readonly string[];
  propertyDependencies: Readonly<Record<string, readonly string[]>>;
  protect: boolean;
  retainOnDelete: boolean;
  /** Only read: another owner manages it. */
  external: boolean;
  /** Pending deletion: its replacement exists. */
  delete: boolean;
  /** Deleted before its replacement was created. */
  pendingReplacement: boolean;
  taint: boolean;
  /** Why the last create or update failed halfway; empty if it succeeded. */
  initErrors: readonly string[];
  importId: string;
  deletedWith: string;
  replaceWith: readonly string[];
  replacementTrigger: unknown;
  ignoreChanges: readonly string[];
  replaceOnChanges: readonly string[];
  additionalSecretOutputs: readonly string[];
  /** The URN that it had before this run. */
  alias: string | undefined;
}

/** `urn:pulumi:<stack>::<project>::<types of the parents and its own>::<name>`. */
export function urnOf(stack: string, project: string, parent: string, type: string, name: string): string {
  const parentTypes = parent === "" ? "" : qualifiedTypeOf(parent);
  return `urn:pulumi:${stack}::${project}::${parentTypes === "" ? type : `${parentTypes}$${type}`}::${name}`;
}

function partsOf(urn: string): [head: string, project: string, types: string, name: string] {
  const [head = "", project = "", types = "", ...name] = urn.split("::");
  return [head, project, types, name.join("::")];
}

export function qualifiedTypeOf(urn: string): string {
  return partsOf(urn)[2];
}

export function typeOf(urn: string): string {
  return qualifiedTypeOf(urn).split("$").at(-1) ?? "";
}

export function nameOf(urn: string): string {
  return partsOf(urn)[3];
}

/** The same resource in another stack. */
export function withStack(urn: string, stack: string): string {
  const [, project, types, name] = partsOf(urn);
  return urn === "" ? "" : [`urn:pulumi:${stack}`, project, types, name].join("::");
}

/** The same resource under another parent. */
export function withParent(urn: string, parent: string): string {
  const [head, project, , name] = partsOf(urn);
  return [head, project, `${qualifiedTypeOf(parent)}$${typeOf(urn)}`, name].join("::");
}

/** A resource's dependencies, without its parent. */
export function dependenciesOf(state: ResourceState): string[] {
  return [
    ...state.dependencies,
    ...Object.values(state.propertyDependencies).flat(),
    ...(state.deletedWith === "" ? [] : [state.deletedWith]),
    ...state.replaceWith,
  ];
}

/** A copy with every URN in it changed. */
export function withUrns(state: ResourceState, change: (urn: string) => string): ResourceState {
  const lists = Object.entries(state.propertyDependencies).map(([name, urns]) => [name, urns.map(change)]);
  return {
    ...state,
    urn: change(state.urn),
    parent: change(state.parent),
    dependencies: state.dependencies.map(change),
    propertyDependencies: Object.fromEntries(lists),
    deletedWith: change(state.deletedWith),
    replaceWith: state.replaceWith.map(change),
  };
}

/** The direct and indirect dependents of `root`, in the order of the state. */
export function dependentsOf(
  root: ResourceState,
  resources: readonly ResourceState[],
  options: { ignored?: ReadonlySet<string>; withChildren?: boolean } = {},
): ResourceState[] {
  const reached = new Set([root.urn]);
  const found: ResourceState[] = [];
  for (const candidate of resources.slice(resources.indexOf(root) + 1)) {
    if (options.ignored?.has(candidate.urn)) continue;
    const isChild = options.withChildren === true && reached.has(candidate.parent);
    if (!isChild && !dependenciesOf(candidate).some((urn) => reached.has(urn))) continue;
    reached.add(candidate.urn);
    found.push(candidate);
  }
  return found;
}

/** The direct dependencies of `state` among the resources before it. */
function directDependencies(state: ResourceState, resources: readonly ResourceState[]): Set<ResourceState> {
  const urns = new Set([...dependenciesOf(state), state.parent]);
  const before = resources.slice(0, resources.indexOf(state));
  return new Set(before.filter(({ urn }) => urns.has(urn)));
}

/** The order of deletions: each group can be deleted at once, and nothing in a later group depends on it. */
export function deletionGroups(
  doomed: readonly ResourceState[],
  resources: readonly ResourceState[],
): ResourceState[][] {
  const left = new Set(doomed);
  const groups: ResourceState[][] = [];
  while (left.size > 0) {
    const group = [...left].filter((state) => directDependencies(state, resources).isDisjointFrom(left));
    for (const state of group) left.delete(state);
    groups.unshift(group);
  }
  return groups;
}

/**
 * The state without references to missing resources: dependencies on them are dropped, and their children move to their
 * parents.
 */
export function withoutDanglingReferences(resources: readonly ResourceState[]): ResourceState[] {
  const present = new Set<string>();
  const parents = new Map<string, string>();
  return resources.map((state) => {
    const kept = (urns: readonly string[]) => urns.filter((urn) => present.has(urn));
    const parent = state.parent === "" || present.has(state.parent) ? state.parent : (parents.get(state.parent) ?? "");
    const lists = Object.entries(state.propertyDependencies).map(([name, urns]) => [name, kept(urns)]);
    present.add(state.urn);
    parents.set(state.urn, parent);
    return {
      ...state,
      parent,
      dependencies: kept(state.dependencies),
      propertyDependencies: Object.fromEntries(lists),
      deletedWith: present.has(state.deletedWith) ? state.deletedWith : "",
      replaceWith: kept(state.replaceWith),
    };
  });
}
