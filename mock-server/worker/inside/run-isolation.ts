import { AsyncLocalStorage } from "node:async_hooks";

/** Runs work beside other such work. It rejects with what would have ended the process. */
export type Isolated = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Makes what ends a process end the run that did it: an exception that nobody catches, a promise that fails unheard, `process.exit`. What no run can
 * be blamed for is printed.
 */
export function isolateRuns(): Isolated {
  const failRun = new AsyncLocalStorage<(error: unknown) => void>();
  const blame = (error: unknown) => (failRun.getStore() ?? console.error)(error);
  process.on("uncaughtException", blame);
  process.on("unhandledRejection", blame);
  process.exit = (code) => {
    const error = Object.assign(new Error(`process.exit(${code ?? ""}) was called.`), { name: "ProcessExit" });
    failRun.getStore()?.(error);
    throw error;
  };
  return (work) =>
    new Promise((resolve, reject) => {
      failRun.run(reject, () => {
        work().then(resolve, reject);
      });
    });
}
