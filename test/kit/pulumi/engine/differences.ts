import { isDeepStrictEqual } from "node:util";
import type { DiffResult, Properties } from "../dynamic-process.ts";
import { contains, type PropertyPath, parsePath, withIgnoredChanges } from "./paths.ts";
import { isMap, revealed } from "./values.ts";

/** What the engine concludes from a provider's diff. */
export interface Difference {
  readonly changed: boolean;
  readonly replaces: boolean;
  readonly deleteBeforeReplace: boolean;
}

export const noDifference: Difference = { changed: false, replaces: false, deleteBeforeReplace: false };

/** A replacement that the engine itself decides on. */
export const decidedReplacement: Difference = { changed: true, replaces: true, deleteBeforeReplace: false };

const isPresent = (value: unknown) => value !== undefined && value !== null;

/** The paths at which two values differ, as detailed as the engine's: an added or removed map is one path. */
function changedPaths(before: unknown, after: unknown, at: PropertyPath = []): PropertyPath[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    const indexes = [...Array(Math.max(before.length, after.length)).keys()];
    return indexes.flatMap((index) => changedPaths(before[index], after[index], [...at, index]));
  }
  if (isMap(before) && isMap(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => changedPaths(before[name], after[name], [...at, name]));
  }
  if (!isPresent(before) && !isPresent(after)) return [];
  return isDeepStrictEqual(before, after) ? [] : [at];
}

/** The paths at which the inputs of a resource change, secrets compared by their values. */
export function changedInputs(olds: Properties, news: Properties): PropertyPath[] {
  return changedPaths(revealed(olds), revealed(news));
}

/** Compares the inputs if the provider leaves that to the engine, then applies `replaceOnChanges`. */
export function differenceOf(
  result: DiffResult,
  { olds, news }: { olds: Properties; news: Properties },
  options: {
    ignoreChanges: readonly string[];
    replaceOnChanges: readonly string[];
    hasInitErrors: boolean;
  },
): Difference {
  const isOpen = result.changes === "unknown";
  const paths = isOpen ? changedInputs(olds, withIgnoredChanges(news, olds, options.ignoreChanges)) : [];
  const changed = isOpen ? paths.length > 0 : result.changes === "some";
  const replacing = options.replaceOnChanges.map(parsePath);
  const causes: PropertyPath[] = [...(changed ? paths : []), ...(options.hasInitErrors ? [["#initerror"]] : [])];
  const isCaused = causes.some((path) => replacing.some((pattern) => contains(pattern, path)));
  const byInitError = options.hasInitErrors && replacing.some((pattern) => contains(pattern, ["#initerror"]));
  return {
    changed: changed || byInitError,
    replaces: (changed || byInitError) && (result.replaces.length > 0 || isCaused),
    deleteBeforeReplace: result.deleteBeforeReplace,
  };
}
