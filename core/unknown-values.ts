/** A copy of `value` without unknown values, and where they stood. */
export function withoutUnknowns(
  value: unknown,
  isUnknown: (value: unknown) => boolean,
  path: readonly string[] = [],
): { value: unknown; unknownPaths: string[][] } {
  if (isUnknown(value)) return { value: undefined, unknownPaths: [[...path]] };
  if (Array.isArray(value)) {
    const hasUnknown = value.some((item) => withoutUnknowns(item, isUnknown).unknownPaths.length > 0);
    return hasUnknown ? { value: undefined, unknownPaths: [[...path]] } : { value, unknownPaths: [] };
  }
  if (typeof value !== "object" || value === null) return { value, unknownPaths: [] };
  const unknownPaths: string[][] = [];
  const known: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined || field === null) continue;
    const result = withoutUnknowns(field, isUnknown, [...path, name]);
    unknownPaths.push(...result.unknownPaths);
    if (result.value !== undefined) known[name] = result.value;
  }
  return { value: known, unknownPaths };
}

/** Whether one path leads to the other, or into it. */
export function isWithin(outer: readonly string[], inner: readonly (string | number)[]): boolean {
  return (
    outer.every((part, index) => part === String(inner[index])) ||
    inner.every((part, index) => String(part) === outer[index])
  );
}
