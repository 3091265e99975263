import type { Command } from "commander";
import { interruptedCode } from "./interruption.ts";

/** Ends the command unless it may ask, or needn't: before anything is sent. */
export function requireConfirmable(command: Command, { yes, json }: { yes: boolean; json: boolean }): void {
  if (yes || (process.stdin.isTTY && process.stdout.isTTY && !json)) return;
  const reason = json ? "--json asks no question" : "there is no terminal to confirm in";
  command.error(`error: ${reason}: pass --yes`);
}

/** Whether the user agrees. Ctrl-C ends the process. */
export async function confirmed(message: string): Promise<boolean> {
  const { default: confirm } = await import("@inquirer/confirm");
  try {
    return await confirm({ message, default: false });
  } catch (error) {
    if (error instanceof Error && error.name === "ExitPromptError") process.exit(interruptedCode);
    throw error;
  }
}
