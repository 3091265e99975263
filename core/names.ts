import { closest, distance } from "fastest-levenshtein";

/** The known name that an unknown one probably stands for; `undefined` where none is alike. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const same = known.find((other) => isSpeltAlike(other, name));
  if (same !== undefined) return same;
  const nearest = closest(name, [...known]);
  const changes = distance(name, nearest);
  return changes < name.length && changes <= Math.max(2, name.length / 3) ? nearest : undefined;
}

/** Whether names differ in case and separators only, as `buildOnPush` and `build_on_push`. */
export function isSpeltAlike(a: string, b: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[-_\s]/g, "");
  return plain(a) === plain(b);
}

/** `fields` with snake_case names. Only the top level changes; what is below belongs to the platform. */
export function snakeCaseKeys(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value]));
}

export function camelCaseKeys(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [camelCase(name), value]));
}

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
