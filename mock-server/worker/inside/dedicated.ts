import { AsyncLocalStorage } from "node:async_hooks";

/** A run as far as it has to be told from others. */
interface Running {
  fail(error: unknown): void;
}

/** Runs side by side in one thread, each of which may do what would end a process. */
export interface Apart {
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * Makes what ends a process end a run: an exception that nobody catches, a promise that fails unheard, `process.exit`. What no run can be blamed
 * for is printed.
 */
export function keepRunsApart(): Apart {
  const current = new AsyncLocalStorage<Running>();
  const blame = (error: unknown) => {
    const running = current.getStore();
    if (running) running.fail(error);
    else console.error(error);
  };
  process.on("uncaughtException", blame);
  process.on("unhandledRejection", blame);
  process.exit = (code) => {
    const error = Object.assign(new Error(`process.exit(${code ?? ""}) was called.`), { name: "ProcessExit" });
    current.getStore()?.fail(error);
    throw error;
  };
  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        current.run({ fail: reject }, () => {
          work().then(resolve, reject);
        });
      }),
  };
}
