import { spawn } from "node:child_process";

/** How a program ended, and its output to stdout and stderr. */
export interface Ended {
  code: number | null;
  output: string;
}

/**
 * Runs a program to its end. `onOutput` receives each chunk of output. At the text `interruptAt`, the program gets a
 * SIGINT. Its environment has only the given variables and what a program needs to run.
 */
export function run(
  program: string,
  args: readonly string[],
  options: {
    cwd?: string;
    env?: Record<string, string>;
    onOutput?: (piece: string) => void;
    interruptAt?: string;
  } = {},
): Promise<Ended> {
  const { cwd, env = {}, onOutput, interruptAt } = options;
  return new Promise((resolve, reject) => {
    const needed = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", PYTHONUNBUFFERED: "1" };
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], cwd, env: { ...needed, ...env } });
    let output = "";
    let isInterrupted = false;
    const receive = (piece: Buffer) => {
      output += piece;
      onOutput?.(String(piece));
      if (interruptAt === undefined || isInterrupted || !output.includes(interruptAt)) return;
      isInterrupted = true;
      child.kill("SIGINT");
    };
    child.stdout.on("data", receive);
    child.stderr.on("data", receive);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
