import { setImmediate } from "node:timers/promises";
import { runtime } from "@pulumi/pulumi";
import { Monitor, type MonitorHandler } from "./monitor.ts";

/**
 * A program counts as stuck after this many turns of the event loop without a request, because requests are all that it
 * waits for.
 */
const maxIdleTurns = 500;

export interface ProgramRun {
  readonly project: string;
  readonly stack: string;
  readonly preview: boolean;
}

/**
 * Runs a program in this process against `handler`.
 *
 * @throws the handler's error, after which the program gets no further responses, or the program's error; Error for a
 * program that is stuck
 */
export async function runProgram(program: () => unknown, run: ProgramRun, handler: MonitorHandler): Promise<void> {
  const failed = Promise.withResolvers<never>();
  // Avoids an unhandled rejection if nothing awaits it yet.
  failed.promise.catch(() => {});
  const monitor = new Monitor(handler, failed.reject);
  runtime.setMockOptions(monitor, run.project, run.stack, run.preview);
  await (runtime as unknown as { awaitFeatureSupport(): Promise<void> }).awaitFeatureSupport();
  let isOver = false;
  const work = (async () => {
    await program();
    await runtime.disconnect();
  })().finally(() => {
    isOver = true;
  });
  work.catch(() => {});
  const watch = async (): Promise<void> => {
    for (let seen = monitor.requests, idleTurns = 0; !isOver; idleTurns += 1) {
      await monitor.idle();
      await setImmediate();
      if (monitor.requests !== seen) idleTurns = 0;
      seen = monitor.requests;
      if (idleTurns > maxIdleTurns) throw new Error("the program waits for something that never comes (a dead-lock)");
    }
  };
  try {
    await Promise.race([work, failed.promise, watch()]);
  } finally {
    isOver = true;
  }
}
