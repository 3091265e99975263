import type { Command } from "commander";
import { silenceSqliteWarning } from "./sqlite-warning.ts";

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

/** Runs a command with the process's arguments; an error becomes one line on stderr and exit code 1. */
export async function runCommand(command: Command): Promise<void> {
  silenceSqliteWarning();
  // A reader that closes the pipe after the first line must not end the server.
  process.stdout.on("error", () => undefined);
  try {
    await command.parseAsync();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const advice = code === "EADDRINUSE" ? " Choose another with --port, or 0 for a free one." : "";
    process.stderr.write(`error: ${message.replace(/\.$/, "")}.${advice}\n`);
    process.exitCode = 1;
  }
}
