import { spawn } from "node:child_process";
import { dirname } from "node:path";

/** The root of this checkout. */
export const checkout: string = dirname(import.meta.dirname);

/** Options of {@link runCommand}. */
export interface CommandOptions {
  /** The working folder. @default the checkout */
  readonly cwd?: string;
  readonly environment?: NodeJS.ProcessEnv;
}

/**
 * Runs a command to its end; its output goes to this process's output. Under the launcher, commands of
 * node_modules/.bin are on PATH.
 *
 * @returns the exit status; 1 when a signal ended it
 * @throws Error when it can't be started
 */
export function runCommand(command: string, args: readonly string[], options: CommandOptions = {}): Promise<number> {
  const child = spawn(command, [...args], {
    cwd: options.cwd ?? checkout,
    env: options.environment ?? process.env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status ?? 1));
  });
}
