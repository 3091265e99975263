import { Worker } from "node:worker_threads";
import { Calls, type Handlers, type MessageChecks } from "../calls.ts";
import type { ServerMethods, WorkerMethods } from "../protocol.ts";
import { type LogLine, readPrintedLines } from "./printed-lines.ts";

/** Why calls into a worker fail when it has ended, or is being ended. */
export class WorkerLost extends Error {
  override readonly name: string = "WorkerLost";
}

/** Something that the worker's code did has ended it. */
export class WorkerCrashed extends WorkerLost {
  override readonly name = "WorkerCrashed";
}

export interface GraphWorkerOptions {
  /** The worker's environment, which is added to by that of the project that it loads. */
  env: NodeJS.ProcessEnv;
  /** The maximum of memory for its values, in MiB. @default Node.js's own */
  memoryMb?: number | undefined;
}

export interface GraphWorkerService {
  handlers: Omit<Handlers<ServerMethods>, "log">;
  checks: Omit<MessageChecks<ServerMethods, WorkerMethods>, "onInvalid">;
  /** Takes what the worker's code prints and logs. */
  onLog: (line: LogLine) => void;
}

/**
 * The maximum of memory for a worker's newest values, in MiB: half of Node.js's own, which loading a library fills with what nobody needs any more, and
 * which would stay that large.
 */
const maxYoungGenerationSizeMb = 24;

/** The entry of workers: among the sources, or beside the bundle that this file has become a part of. */
const entry = import.meta.url.endsWith(".ts")
  ? new URL("../inside/worker-main.ts", import.meta.url)
  : new URL("./worker.js", import.meta.url);

/** A worker for a project's code, which it gets by the call `load`. */
export class GraphWorker {
  readonly calls: Calls<ServerMethods, WorkerMethods>;
  /** Resolves when the worker can't be used any more, before its calls reject. */
  readonly lost: Promise<void>;
  readonly #worker: Worker;
  readonly #lose: () => void;

  constructor({ env, memoryMb }: GraphWorkerOptions) {
    this.#worker = new Worker(entry, {
      env,
      stdout: true,
      stderr: true,
      name: "graphs",
      resourceLimits: {
        maxYoungGenerationSizeMb,
        ...(memoryMb === undefined ? {} : { maxOldGenerationSizeMb: memoryMb }),
      },
    });
    ({ promise: this.lost, resolve: this.#lose } = Promise.withResolvers<void>());
    this.calls = new Calls<ServerMethods, WorkerMethods>(this.#worker);
    let cause: Error | undefined;
    this.#worker.on("messageerror", () => this.#endInvalid());
    this.#worker.on("error", (error: Error) => {
      cause = error;
    });
    this.#worker.once("exit", (code) => {
      const reason = cause?.message ?? `it exited with code ${code}`;
      this.#close(new WorkerCrashed(`The graphs' worker has ended: ${reason}.`, { cause }));
    });
  }

  /** Says how the worker is served. What it prints waits until then. */
  serve({ handlers, checks, onLog }: GraphWorkerService): void {
    const log: Handlers<ServerMethods>["log"] = ({ level, text }) =>
      onLog({ stream: level === "ERROR" || level === "WARNING" ? "stderr" : "stdout", level, text });
    this.calls.serve({ ...handlers, log }, { ...checks, onInvalid: () => this.#endInvalid() });
    readPrintedLines(this.#worker.stdout, "stdout", onLog);
    readPrintedLines(this.#worker.stderr, "stderr", onLog);
  }

  /** Ends the worker, whatever it is doing; its calls reject with `reason`. */
  async terminate(reason: Error): Promise<void> {
    this.#close(reason);
    await this.#worker.terminate();
  }

  #endInvalid(): void {
    void this.terminate(new WorkerCrashed("A message from the graphs' worker isn't of the protocol: it was ended."));
  }

  #close(reason: Error): void {
    this.#lose();
    this.calls.close(reason);
  }
}
