import type { Command } from "commander";
import { ConfigError } from "../core/client/errors.ts";
import { silenceSqliteWarning } from "./sqlite-warning.ts";
import { UsageError } from "./usage-error.ts";

/** Time that responses in progress get to finish after a signal, in milliseconds. */
const gracePeriodMs = 5_000;

/** Printed when closing takes noticeably long. */
const notice = "Waiting up to 5 s for responses in progress. Interrupt again to end them now.\n";

/**
 * Closes the server on SIGINT and SIGTERM, so that the process exits with code 0. A second signal ends responses under
 * way; a third one has its default effect.
 */
export function closeOnSignal(server: { close(options?: { gracePeriodMs?: number }): Promise<void> }): void {
  const signals = ["SIGINT", "SIGTERM"] as const;
  let isClosing = false;
  const close = () => {
    if (isClosing) {
      for (const signal of signals) process.off(signal, close);
      void server.close();
      return;
    }
    isClosing = true;
    const timer = setTimeout(() => process.stderr.write(notice), 300);
    void server.close({ gracePeriodMs }).finally(() => clearTimeout(timer));
  };
  for (const signal of signals) process.on(signal, close);
}

/** System errors that mean a `--host` which isn't one of this machine's. */
const hostErrors: ReadonlySet<string> = new Set(["ENOTFOUND", "EADDRNOTAVAIL", "EAI_AGAIN", "EAI_NODATA", "EINVAL"]);

/**
 * Runs a command with the process's arguments. An error becomes one line on stderr, and the exit code is
 * `usageCode` for wrong usage, a file that can't be read among it, and 1 for any other failure.
 */
export async function runCommand(command: Command, usageCode = 2): Promise<void> {
  exitAsDocumented(command, usageCode);
  silenceSqliteWarning();
  // A reader that closes the pipe after the first line must not end the server.
  process.stdout.on("error", () => undefined);
  try {
    await command.parseAsync();
  } catch (error) {
    const { exitCode, text } = outcomeOf(error as NodeJS.ErrnoException);
    process.stderr.write(`error: ${text}\n`);
    process.exitCode = exitCode;
  }
}

function exitAsDocumented(command: Command, usageCode: number): void {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : usageCode));
  for (const subcommand of command.commands) exitAsDocumented(subcommand, usageCode);
}

function outcomeOf(error: NodeJS.ErrnoException & { hostname?: string; address?: string }) {
  const { code = "", message, cause, hostname, address } = error;
  const isOfHost = hostErrors.has(code) && (error.syscall === "listen" || error.syscall === "getaddrinfo");
  if (isOfHost) {
    return { exitCode: 2, text: `--host ${hostname ?? address} is neither a name nor an address of this machine.` };
  }
  const advice = code === "EADDRINUSE" ? " Choose another with --port, or 0 for a free one." : "";
  const text = `${message}${/[.?!]$/.test(message) ? "" : "."}${advice}`;
  const isUnreadFile = error instanceof ConfigError && cause instanceof Error && "errno" in cause;
  return { exitCode: error instanceof UsageError || isUnreadFile ? 2 : 1, text };
}
