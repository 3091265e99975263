import type { Properties } from "../dynamic-process.ts";
import { asSecret, isMap, isSecret } from "./values.ts";

/** The path of a property: names in maps and indexes in lists; `*` matches any. */
export type PropertyPath = readonly (string | number)[];

/** Parses `a.b["c.d"][0]`. */
export function parsePath(text: string): PropertyPath {
  const parts = text.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\[(\*)\]|([^.[\]]+)/g);
  return [...parts].map(([, quoted, index, star, name]) => {
    if (index !== undefined) return Number(index);
    return quoted?.replaceAll('\\"', '"') ?? star ?? name ?? "";
  });
}

/** Whether `path` is `other` or a parent of it. */
export function contains(path: PropertyPath, other: PropertyPath): boolean {
  return path.length <= other.length && path.every((part, index) => part === "*" || part === other[index]);
}

/**
 * The inputs with the values of `olds` at the paths of `ignoreChanges`. A path whose parent only one of the two has is
 * ignored.
 */
export function withIgnoredChanges(news: Properties, olds: Properties, ignoreChanges: readonly string[]): Properties {
  const result = structuredClone(news);
  for (const text of ignoreChanges) reset(parsePath(text), olds, result, false, false);
  return result;
}

function uncovered(value: unknown, secret: boolean): { value: unknown; secret: boolean } {
  return isSecret(value) ? uncovered(value.value, true) : { value, secret };
}

function reset(path: PropertyPath, before: unknown, after: unknown, wasSecret: boolean, isNowSecret: boolean): void {
  const [part, ...rest] = path;
  const old = uncovered(before, wasSecret);
  const now = uncovered(after, isNowSecret);
  const taken = (value: unknown) => (old.secret && !now.secret ? asSecret(value) : value);
  if (part === undefined) return;
  if (part === "*") {
    if (isMap(now.value)) {
      for (const name of new Set([...Object.keys(now.value), ...(isMap(old.value) ? Object.keys(old.value) : [])])) {
        if (isMap(old.value)) reset([name, ...rest], old.value, now.value, old.secret, now.secret);
      }
    } else if (Array.isArray(now.value)) {
      for (const index of now.value.keys()) reset([index, ...rest], old.value, now.value, old.secret, now.secret);
    }
    return;
  }
  if (typeof part === "number") {
    if (!Array.isArray(old.value) || !Array.isArray(now.value)) return;
    if (part >= old.value.length || part >= now.value.length) return;
    if (rest.length === 0) now.value[part] = taken(structuredClone(old.value[part]));
    else reset(rest, old.value[part], now.value[part], old.secret, now.secret);
    return;
  }
  if (!isMap(now.value)) return;
  const oldFields = isMap(old.value) ? old.value : {};
  if (rest.length === 0) {
    if (Object.hasOwn(oldFields, part)) now.value[part] = taken(structuredClone(oldFields[part]));
    else delete now.value[part];
    return;
  }
  if (isMap(old.value) && Object.hasOwn(now.value, part)) {
    reset(rest, oldFields[part], now.value[part], old.secret, now.secret);
  }
}
