import type { Redactor } from "./redact.ts";

/** Where the core writes what it does. Every text and field is redacted before it gets here. */
export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** `logger`, which is given every text and field redacted. */
export function redactingLogger(logger: Logger, redactor: Redactor): Logger {
  const redacted = (level: keyof Logger) => (message: string, fields?: Record<string, unknown>) =>
    logger[level](redactor.text(message), fields && (redactor.deep(fields) as Record<string, unknown>));
  return { debug: redacted("debug"), info: redacted("info"), warn: redacted("warn"), error: redacted("error") };
}
