type Path = readonly (string | number)[];

/** A value without what it doesn't tell, and where that stood. */
export interface KnownValue {
  value: unknown;
  /** Of values that aren't known yet. A list with one in it is unknown as a whole. */
  unknownPaths: Path[];
  /** Of values that are null: neither declared nor left out. */
  nullPaths: Path[];
}

/** A copy of `value` without unknown values and nulls. */
export function knownValue(value: unknown, isUnknown: (value: unknown) => boolean, path: Path = []): KnownValue {
  if (isUnknown(value)) return { value: undefined, unknownPaths: [path], nullPaths: [] };
  if (value === null) return { value: undefined, unknownPaths: [], nullPaths: [path] };
  if (typeof value !== "object") return { value, unknownPaths: [], nullPaths: [] };
  const fields = Object.entries(value).map(([name, field]) => {
    const part = Array.isArray(value) ? Number(name) : name;
    return [part, knownValue(field, isUnknown, [...path, part])] as const;
  });
  const nullPaths = fields.flatMap(([, field]) => field.nullPaths);
  const unknownPaths = fields.flatMap(([, field]) => field.unknownPaths);
  if (Array.isArray(value)) {
    return unknownPaths.length > 0
      ? { value: undefined, unknownPaths: [path], nullPaths }
      : { value, unknownPaths, nullPaths };
  }
  const known = fields.filter(([, field]) => field.value !== undefined).map(([name, field]) => [name, field.value]);
  return { value: Object.fromEntries(known), unknownPaths, nullPaths };
}

/** Whether one path leads to the other, or into it. */
export function isWithin(outer: Path, inner: Path): boolean {
  return outer.slice(0, inner.length).every((part, index) => String(part) === String(inner[index]));
}
