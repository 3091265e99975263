import type { ControlPlane } from "../core/client/client.ts";
import { InitError } from "./init-error.ts";

/**
 * An error with only the redacted message of `error`: the dynamic provider would interpret an `id` or a numeric `code`.
 */
export function toPlainError(error: unknown, client: ControlPlane): Error {
  if (error instanceof InitError) return error;
  const message = client.redactor.text(error instanceof Error ? error.message : String(error));
  return messageOnlyError(message);
}

/** An error without name and stack, which the dynamic provider would print. */
export function messageOnlyError(message: string): Error {
  const error = new Error(message);
  error.name = "";
  error.stack = "";
  return error;
}
