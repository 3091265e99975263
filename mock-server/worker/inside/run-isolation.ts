import { AsyncLocalStorage } from "node:async_hooks";

/** Runs work beside other such work. It rejects with what would have ended the process. */
export type Isolated = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Makes what ends a process end the run that did it: an exception that nobody catches, a promise that fails unheard, `process.exit`, a signal to its own
 * process, which is the server's. What no run can be blamed for is printed.
 */
export function isolateRuns(): Isolated {
  const failRun = new AsyncLocalStorage<(error: unknown) => void>();
  const blame = (error: unknown) => (failRun.getStore() ?? console.error)(error);
  process.on("uncaughtException", blame);
  process.on("unhandledRejection", blame);
  const endRun = (call: string): never => {
    const error = Object.assign(new Error(`${call} was called.`), { name: "ProcessExit" });
    failRun.getStore()?.(error);
    throw error;
  };
  process.exit = (code) => endRun(`process.exit(${code ?? ""})`);
  const { kill } = process;
  // Its number, that of the group it may lead, its group, and all processes.
  const own = [process.pid, -process.pid, 0, -1];
  process.kill = (pid, signal) => {
    // Signal 0 only asks whether there is such a process.
    if (own.includes(Number(pid)) && signal !== 0) endRun(`process.kill(${pid}, ${signal ?? "SIGTERM"})`);
    return kill.call(process, pid, signal);
  };
  return (work) =>
    new Promise((resolve, reject) => {
      failRun.run(reject, () => {
        work().then(resolve, reject);
      });
    });
}
