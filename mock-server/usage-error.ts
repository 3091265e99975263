/** Thrown for a command that is used wrongly. The message is a sentence that names the option. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
