import { isDeepStrictEqual } from "node:util";

type Fields = Record<string, unknown>;

const operators: Record<string, (value: unknown, wanted: unknown) => boolean> = {
  $eq: isDeepStrictEqual,
  $contains: (value, wanted) =>
    Array.isArray(value) &&
    [wanted].flat().every((item) => value.some((candidate) => isDeepStrictEqual(candidate, item))),
};

/** Operators that combine filters, instead of a name. */
const combinations: Record<string, (filters: Fields[], metadata: Fields) => boolean> = {
  $or: (filters, metadata) => filters.some((filter) => passesFilter(filter, metadata)),
  $and: (filters, metadata) => filters.every((filter) => passesFilter(filter, metadata)),
};

/** Whether metadata passes an access filter. */
export function passesFilter(filter: Fields, metadata: Fields): boolean {
  return Object.entries(filter).every(([name, condition]) => {
    const combination = combinationOf(name);
    if (combination) return combination(condition as Fields[], metadata);
    if (!Object.hasOwn(metadata, name)) return false;
    const value = metadata[name];
    if (!isOperation(condition)) return isDeepStrictEqual(value, condition);
    return Object.entries(condition).every(([operator, wanted]) => operators[operator]?.(value, wanted) ?? false);
  });
}

/** Whether `value` contains `wanted`, at any depth; list elements match in any order. */
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

/** The names that metadata needs to pass a filter. */
export function requiredNames(filter: Fields): string[] {
  return Object.entries(filter).flatMap(([name, condition]) => {
    if (name === "$and") return (condition as Fields[]).flatMap(requiredNames);
    return combinationOf(name) ? [] : [name];
  });
}

/**
 * Describes the problem of an invalid filter; `undefined` for a valid one. An invalid filter must neither admit
 * everybody nor silently hide everything.
 */
export function filterProblem(filter: Fields): string | undefined {
  for (const [name, condition] of Object.entries(filter)) {
    const problem = combinationOf(name) ? listProblem(name, condition) : conditionProblem(name, condition);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function listProblem(name: string, filters: unknown): string | undefined {
  if (!Array.isArray(filters) || filters.length === 0) return `the filter's "${name}" isn't a list of filters`;
  for (const filter of filters) {
    const problem = isFields(filter) ? filterProblem(filter) : `the filter's "${name}" has what isn't a filter`;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function conditionProblem(name: string, condition: unknown): string | undefined {
  if (name.startsWith("$")) return `the filter has "${name}", which is neither ${listed(combinations)}`;
  if (condition === undefined) return `the filter's "${name}" is undefined`;
  if (!isJson(condition)) return `the filter's "${name}" isn't JSON, which is all that metadata can be`;
  if (!isOperation(condition)) return undefined;
  const unknown = Object.keys(condition).find((operator) => !Object.hasOwn(operators, operator));
  return unknown === undefined
    ? undefined
    : `the filter's "${name}" has "${unknown}", which is neither ${listed(operators)}`;
}

function listed(known: object): string {
  return Object.keys(known).join(" nor ");
}

function combinationOf(name: string): (typeof combinations)[string] | undefined {
  return Object.hasOwn(combinations, name) ? combinations[name] : undefined;
}

/** Whether a value survives serialization as JSON unchanged. */
export function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return ["string", "boolean", "object"].includes(typeof value);
  if (Array.isArray(value)) return value.every(isJson);
  return isFields(value) && Object.values(value).every(isJson);
}

function isFields(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isOperation(condition: unknown): condition is Fields {
  return (
    typeof condition === "object" &&
    condition !== null &&
    !Array.isArray(condition) &&
    Object.keys(condition).some((key) => key.startsWith("$"))
  );
}
