import { AsyncLocalStorage } from "node:async_hooks";
import { currentScopeName } from "../../worker/blocked-thread.ts";
import type { ScopeId } from "../../worker/protocol.ts";

/** A run as far as it has to be told from others. */
interface Running {
  scope: ScopeId;
  fail(error: unknown): void;
}

/** Runs side by side in one thread, each of which may do what would end a process. */
export interface Apart {
  run<Result>(scope: ScopeId, work: () => Promise<Result>): Promise<Result>;
}

/**
 * Makes what ends a process end a run: an exception that nobody catches, a promise that fails unheard, `process.exit`. What no run can be blamed
 * for is printed.
 */
export function keepRunsApart(): Apart {
  const current = new AsyncLocalStorage<Running>();
  Object.assign(globalThis, { [Symbol.for(currentScopeName)]: () => current.getStore()?.scope });
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
    run: (scope, work) =>
      new Promise((resolve, reject) => {
        current.run({ scope, fail: reject }, () => {
          work().then(resolve, reject);
        });
      }),
  };
}
