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
