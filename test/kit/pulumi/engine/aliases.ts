import type { AliasGoal, Goal } from "./monitor.ts";
import { nameOf, qualifiedTypeOf, urnOf } from "./state.ts";

interface Place {
  readonly project: string;
  readonly stack: string;
}

/** The URNs that a resource may have had, from its own aliases and from those of its parent. */
export function earlierNames(goal: Goal, place: Place, parents: ReadonlyMap<string, string>): string[] {
  const { name, type, parent, aliases } = goal;
  const own = aliases.map((alias) => urnOfAlias(alias, goal, place, parents));
  const before = parent === "" ? undefined : parents.get(parent);
  if (before === undefined) return [...new Set(own)];
  const asChild = (childType: string, childName: string) => childUrn(childType, childName, parent, before, place);
  const inherited = aliases.map((alias) => {
    const urn = urnOfAlias(alias, goal, place, parents);
    return asChild(qualifiedTypeOf(urn).split("$").at(-1) ?? "", nameOf(urn));
  });
  return [...new Set([...own, asChild(type, name), ...inherited])];
}

function urnOfAlias(alias: AliasGoal, goal: Goal, place: Place, parents: ReadonlyMap<string, string>): string {
  if (alias.urn !== undefined) return alias.urn;
  const declared = alias.parent === "" ? goal.parent : (parents.get(alias.parent) ?? alias.parent);
  const isTopLevel = alias.noParent || qualifiedTypeOf(declared) === "pulumi:pulumi:Stack";
  return urnOf(
    alias.stack || place.stack,
    alias.project || place.project,
    isTopLevel ? "" : declared,
    alias.type || goal.type,
    alias.name || goal.name,
  );
}

/** A child whose name begins with its parent's is renamed with it. */
function childUrn(type: string, name: string, parent: string, before: string, place: Place): string {
  const parentName = nameOf(parent);
  const earlier = name.startsWith(parentName) ? `${nameOf(before)}${name.slice(parentName.length)}` : name;
  return urnOf(place.stack, place.project, before, type, earlier);
}
