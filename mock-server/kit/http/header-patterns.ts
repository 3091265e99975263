import { globMatcher } from "../glob.ts";

/** Patterns of lower-case header names, in which `*` matches any characters. Exclusions win. */
export interface HeaderPatterns {
  /** `null`: the default ones. */
  includes: readonly string[] | null;
  excludes: readonly string[];
}

/** The headers whose names match, or without patterns to include those that are included by default. */
export function matchingHeaders(
  headers: Iterable<[name: string, value: string]>,
  { includes, excludes }: HeaderPatterns,
  byDefault: (name: string) => boolean,
): Record<string, string> {
  const isMatched = (patterns: readonly string[], name: string) => patterns.some((one) => globMatcher(one)(name));
  const isWanted = (name: string) =>
    !isMatched(excludes, name) && (includes ? isMatched(includes, name) : byDefault(name));
  return Object.fromEntries([...headers].filter(([name]) => isWanted(name)));
}
