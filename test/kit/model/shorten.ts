import type { Step } from "./commands.ts";

/** The fields of a step, an edit and a declared deployment that can't be removed. */
const required = new Set([
  "step",
  "stack",
  "edits",
  "edit",
  "at",
  "to",
  "deployment",
  "field",
  "does",
  "resource",
  "name",
  "repository",
  "ref",
  "alias",
  "seed",
  "nth",
  "moment",
  "kill",
  "rollout",
]);

/** All sequences with one element less: a step, an edit, or an optional part of a step. */
function* withoutOne(steps: readonly Step[]): Generator<readonly Step[]> {
  for (const index of [...steps.keys()].reverse()) yield steps.toSpliced(index, 1);
  for (const [index, step] of steps.entries()) {
    for (const smaller of smallerThan(step)) yield steps.toSpliced(index, 1, smaller as Step);
  }
}

/** All values with one list entry or one optional field less, at any depth. */
function* smallerThan(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      yield value.toSpliced(index, 1);
      for (const smaller of smallerThan(entry)) yield value.toSpliced(index, 1, smaller);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [name, field] of Object.entries(value)) {
      const { [name as keyof typeof value]: _dropped, ...rest } = value;
      if (!required.has(name)) yield rest;
      for (const smaller of smallerThan(field)) yield { ...value, [name]: smaller };
    }
  }
}

/** Removes parts as long as the rest still `breaks`. */
export async function shorten(
  steps: readonly Step[],
  breaks: (steps: readonly Step[]) => Promise<boolean>,
): Promise<readonly Step[]> {
  for (const candidate of withoutOne(steps)) {
    if (await breaks(candidate)) return shorten(candidate, breaks);
  }
  return steps;
}
