import type { Fields } from "../engine/contract.ts";

/** The value at a path such as `values.messages[-1].content`; `undefined` where the path doesn't exist. */
export function valueAt(source: unknown, path: string): unknown {
  let value = source;
  for (const [, name, index] of path.matchAll(/([^.[\]]+)|\[(-?\d+)\]/g)) {
    if (index !== undefined) value = Array.isArray(value) ? value.at(Number(index)) : undefined;
    else if (typeof value === "object" && value !== null && Object.hasOwn(value, name as string)) {
      value = (value as Fields)[name as string];
    } else return undefined;
  }
  return value;
}

/** An object with only the given paths of another. */
export function project(source: Fields, paths: readonly string[]): Fields {
  const result: Fields = {};
  for (const path of paths) {
    const value = valueAt(source, path);
    if (value === undefined) continue;
    const names = path.split(".");
    const last = names.pop() as string;
    let target = result;
    for (const name of names) {
      const next = Object.hasOwn(target, name) ? target[name] : {};
      target[name] = next;
      target = next as Fields;
    }
    target[last] = value;
  }
  return result;
}
