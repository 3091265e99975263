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

/** The worker's code has taken more memory than it may have. */
export class WorkerOutOfMemory extends WorkerLost {
  override readonly name = "WorkerOutOfMemory";

  constructor(maxMemoryMb: number, options?: ErrorOptions) {
    const hint = "raise the limit by --worker-memory, or have the graph keep less";
    super(
      `The graphs' worker was ended: its code took more memory than the ${maxMemoryMb} MiB it may have; ${hint}.`,
      options,
    );
  }
}

/** Of the values of a worker's code, in MiB. */
export const defaultMemoryMb = 1024;

export interface GraphWorkerOptions {
  /** The worker's environment, which is added to by that of the project that it loads. */
  env: NodeJS.ProcessEnv;
  /** The maximum of memory for its values, in MiB. @default {@link defaultMemoryMb} */
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
  /** Resolves with the reason when the worker can't be used any more, before its calls reject. */
  readonly lost: Promise<Error>;
  /** What its values may take, in MiB. */
  readonly memoryMb: number;
  readonly #worker: Worker;
  readonly #lose: (reason: Error) => void;

  constructor({ env, memoryMb = defaultMemoryMb }: GraphWorkerOptions) {
    this.memoryMb = memoryMb;
    this.#worker = new Worker(entry, {
      env,
      stdout: true,
      stderr: true,
      name: "graphs",
      resourceLimits: { maxYoungGenerationSizeMb, maxOldGenerationSizeMb: memoryMb },
    });
    ({ promise: this.lost, resolve: this.#lose } = Promise.withResolvers<Error>());
    this.calls = new Calls<ServerMethods, WorkerMethods>(this.#worker);
    let cause: NodeJS.ErrnoException | undefined;
    this.#worker.on("messageerror", () => this.#endInvalid());
    this.#worker.on("error", (error: Error) => {
      cause = error;
    });
    this.#worker.once("exit", (code) => {
      if (cause?.code === "ERR_WORKER_OUT_OF_MEMORY") {
        this.#close(new WorkerOutOfMemory(memoryMb, { cause }));
        return;
      }
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

  /** What its values take, buffers included, in MiB; `undefined` once it has ended. Also of a worker that keeps itself busy. */
  async usedMemoryMb(): Promise<number | undefined> {
    try {
      const { used_heap_size: heap, external_memory: outside } = await this.#worker.getHeapStatistics();
      return (heap + outside) / 2 ** 20;
    } catch {
      return undefined;
    }
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
    this.#lose(reason);
    this.calls.close(reason);
  }
}
