import type { Command } from "commander";
import { silenceSqliteWarning } from "./sqlite-warning.ts";

/** Closes the server on SIGINT and SIGTERM, so that the process ends by itself with code 0. */
export function closeOnSignal(server: { close(): Promise<void> }): void {
  const close = () => void server.close();
  process.once("SIGINT", close);
  process.once("SIGTERM", close);
}

/** Runs a command with the process's arguments; what goes wrong is one line on stderr and exit code 1. */
export async function runCommand(command: Command): Promise<void> {
  silenceSqliteWarning();
  try {
    await command.parseAsync();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const advice = code === "EADDRINUSE" ? " Choose another with --port, or 0 for a free one." : "";
    process.stderr.write(`error: ${message.replace(/\.$/, "")}.${advice}\n`);
    process.exitCode = 1;
  }
}
