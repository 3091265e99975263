import type { ControlPlane } from "../core/client/client.ts";
import { InitError } from "./init-error.ts";

/** An error that says the same and carries nothing else: an `id` or a numeric `code` on it would mean something to the dynamic provider. */
export function toPlainError(error: unknown, client: ControlPlane): Error {
  if (error instanceof InitError) return error;
  const message = client.redactor.text(error instanceof Error ? error.message : String(error));
  return messageOnlyError(message);
}

/** An error whose text is all there is to read: the dynamic provider prints the name and the stack of what it is thrown. */
export function messageOnlyError(message: string): Error {
  const error = new Error(message);
  error.name = "";
  error.stack = "";
  return error;
}
