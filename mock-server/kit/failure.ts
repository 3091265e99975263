/** What a failure is called, and what it says. */
export interface Failure {
  name: string;
  message: string;
}

/** What was thrown. Code can throw anything, also what has no text: this never throws. */
export function failureOf(thrown: unknown): Failure {
  if (!(thrown instanceof Error)) return { name: "Error", message: textOf(() => thrown) };
  const name = attempt(() => thrown.name);
  return { name: typeof name === "string" && name !== "" ? name : "Error", message: textOf(() => thrown.message) };
}

/** What was thrown, by its class where it doesn't say a name of its own. */
export function failureByClass(thrown: unknown): Failure {
  const failure = failureOf(thrown);
  if (failure.name !== "Error" || !(thrown instanceof Error)) return failure;
  const className = attempt(() => thrown.constructor.name);
  return { ...failure, name: typeof className === "string" && className !== "" ? className : "Error" };
}

function textOf(read: () => unknown): string {
  return attempt(() => String(read())) ?? "A value that has no text was thrown.";
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
