import { HttpError } from "../../kit/http/http-error.ts";

export const errorCodes = [
  "invalid_argument",
  "unknown_command",
  "unknown_error",
  "no_such_run",
  "no_such_subscription",
  "no_such_namespace",
  "no_such_interrupt",
  "no_such_checkpoint",
  "permission_denied",
  "not_supported",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** Thrown for a command that can't be executed; clients see both parts. */
export class CommandError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.name = "CommandError";
    this.code = code;
  }
}

/** What a failure is called in the protocol; `undefined` for a defect of the server. */
export function codeOf(failure: unknown): ErrorCode | undefined {
  if (failure instanceof CommandError) return failure.code;
  if (!(failure instanceof HttpError)) return undefined;
  if (failure.status >= 500) return "unknown_error";
  return failure.status === 401 || failure.status === 403 ? "permission_denied" : "invalid_argument";
}
