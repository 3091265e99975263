/** What is known of a failure. */
export interface Failure {
  name: string;
  message: string;
  /** The place in a project's code that it came from, as `file:line`. It is for logs, not for clients. */
  at?: string | undefined;
}

/** Describes a thrown value. Never throws, though code can throw values without a text. */
export function failureOf(thrown: unknown): Failure {
  if (!(thrown instanceof Error)) return { name: "Error", message: textOf(() => thrown) };
  const name = attempt(() => thrown.name);
  return { name: typeof name === "string" && name !== "" ? name : "Error", message: textOf(() => thrown.message) };
}

/** Describes a thrown value, with the name of its class where it has no name of its own. */
export function failureByClass(thrown: unknown): Failure {
  const failure = failureOf(thrown);
  if (failure.name !== "Error" || !(thrown instanceof Error)) return failure;
  const className = attempt(() => thrown.constructor.name);
  return { ...failure, name: typeof className === "string" && className !== "" ? className : "Error" };
}

/** Where a failure that was thrown came from, in parentheses after a space; empty where that isn't known. */
export function shownPlace(thrown: unknown): string {
  const { at } = (thrown ?? {}) as Partial<Failure>;
  return typeof at === "string" ? ` (${at})` : "";
}

function textOf(read: () => unknown): string {
  return attempt(() => String(read())) ?? "A value without a text was thrown.";
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
