import { isDeepStrictEqual } from "node:util";

type Fields = Record<string, unknown>;

const operators: Record<string, (value: unknown, wanted: unknown) => boolean> = {
  $eq: isDeepStrictEqual,
  $contains: (value, wanted) =>
    Array.isArray(value) &&
    [wanted].flat().every((item) => value.some((candidate) => isDeepStrictEqual(candidate, item))),
};

/** Whether metadata has everything that a filter asks for. */
export function passesFilter(filter: Fields, metadata: Fields): boolean {
  return Object.entries(filter).every(([name, condition]) => {
    if (!Object.hasOwn(metadata, name)) return false;
    const value = metadata[name];
    if (!isOperation(condition)) return isDeepStrictEqual(value, condition);
    return Object.entries(condition).every(([operator, wanted]) => operators[operator]?.(value, wanted) ?? false);
  });
}

/** Whether `value` has everything that `wanted` has, at any depth; of lists, elements in any order. */
export function contains(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(value) && wanted.every((item) => value.some((candidate) => contains(candidate, item)));
  }
  if (typeof wanted === "object" && wanted !== null) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    return Object.entries(wanted).every(
      ([name, item]) => Object.hasOwn(value, name) && contains((value as Fields)[name], item),
    );
  }
  return value === wanted;
}

/** What is wrong with a filter, if anything: one that can't be understood must not let anybody through. */
export function filterMistake(filter: Fields): string | undefined {
  for (const [name, condition] of Object.entries(filter)) {
    if (condition === undefined) return `the filter's "${name}" is undefined`;
    if (!isOperation(condition)) continue;
    for (const [operator, wanted] of Object.entries(condition)) {
      if (!Object.hasOwn(operators, operator)) {
        return `the filter's "${name}" has "${operator}", which is neither ${Object.keys(operators).join(" nor ")}`;
      }
      if (wanted === undefined) return `the filter's "${name}" has an undefined "${operator}"`;
    }
  }
  return undefined;
}

function isOperation(condition: unknown): condition is Fields {
  return (
    typeof condition === "object" &&
    condition !== null &&
    !Array.isArray(condition) &&
    Object.keys(condition).some((key) => key.startsWith("$"))
  );
}
