import type { Command } from "commander";
import { silenceSqliteWarning } from "./sqlite-warning.ts";

/** How long responses under way may take to finish once the process is told to end, in milliseconds. */
const gracePeriodMs = 5_000;

/** What is said when closing takes longer than anybody would notice. */
const notice = "Finishing the responses under way, for 5 s at most. Once more ends them now.\n";

/**
 * Closes the server on SIGINT and SIGTERM, so that the process ends by itself with code 0. A second signal cuts what is still under way; a third one ends
 * the process as if nobody had listened.
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

/** Runs a command with the process's arguments; what goes wrong is one line on stderr and exit code 1. */
export async function runCommand(command: Command): Promise<void> {
  silenceSqliteWarning();
  // Whoever reads the first line and closes the pipe has no use for the rest; that must not end the server.
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
