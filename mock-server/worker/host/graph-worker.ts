import { Worker } from "node:worker_threads";
import { Calls, type Handlers, type MessageChecks } from "../calls.ts";
import type { ServerMethods, WorkerMethods } from "../protocol.ts";
import { type LogLine, readPrintedLines } from "./printed-lines.ts";

/** The reason why calls into a worker fail when it has ended or is being ended. */
export class WorkerLost extends Error {
  override readonly name: string = "WorkerLost";
}

/** The worker was ended by its own code. */
export class WorkerCrashed extends WorkerLost {
  override readonly name = "WorkerCrashed";
}

/** The worker's code exceeded the memory limit. */
export class WorkerOutOfMemory extends WorkerLost {
  override readonly name = "WorkerOutOfMemory";

  constructor(maxMemoryMb: number, options?: ErrorOptions) {
    const hint = "raise the limit with --worker-memory, or have the graph use less";
    super(`The graphs' worker was ended: its code exceeded the memory limit of ${maxMemoryMb} MiB; ${hint}.`, options);
  }
}

/** Default memory limit of a worker, in MiB. */
export const defaultMemoryMb = 1024;

export interface GraphWorkerOptions {
  /** The worker's environment; loading a project adds the project's. */
  env: NodeJS.ProcessEnv;
  /** Memory limit, in MiB. @default {@link defaultMemoryMb} */
  memoryMb?: number | undefined;
}

export interface GraphWorkerService {
  handlers: Omit<Handlers<ServerMethods>, "log">;
  checks: Omit<MessageChecks<ServerMethods, WorkerMethods>, "onInvalid">;
  /** Called with each line that the worker's code prints or logs. */
  onLog: (line: LogLine) => void;
}

/**
 * Maximum size of a worker's young generation, in MiB: half of Node.js's default. Loading the library would fill the
 * default with garbage, and the heap would stay that large.
 */
const maxYoungGenerationSizeMb = 24;

/** The entry module of workers: among the sources, or beside the bundle that includes this file. */
const entry = import.meta.url.endsWith(".ts")
  ? new URL("../inside/worker-main.ts", import.meta.url)
  : new URL("./worker.js", import.meta.url);

/** A worker for a project's code, which the call `load` loads. Runs in the server. */
export class GraphWorker {
  readonly calls: Calls<ServerMethods, WorkerMethods>;
  /** Resolves with the reason when the worker is lost, before its calls reject. */
  readonly lost: Promise<Error>;
  /** Memory limit, in MiB. */
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

  /** Sets the handlers of the worker's calls and output, which waits until then. */
  serve({ handlers, checks, onLog }: GraphWorkerService): void {
    const log: Handlers<ServerMethods>["log"] = ({ level, text }) =>
      onLog({ stream: level === "ERROR" || level === "WARNING" ? "stderr" : "stdout", level, text });
    this.calls.serve({ ...handlers, log }, { ...checks, onInvalid: () => this.#endInvalid() });
    readPrintedLines(this.#worker.stdout, "stdout", onLog);
    readPrintedLines(this.#worker.stderr, "stderr", onLog);
  }

  /** Used memory, buffers included, in MiB; `undefined` once it has ended. Works for a busy worker too. */
  async usedMemoryMb(): Promise<number | undefined> {
    try {
      const { used_heap_size: heap, external_memory: outside } = await this.#worker.getHeapStatistics();
      return (heap + outside) / 2 ** 20;
    } catch {
      return undefined;
    }
  }

  /** Ends the worker even when it is busy; its calls reject with `reason`. */
  async terminate(reason: Error): Promise<void> {
    this.#close(reason);
    await this.#worker.terminate();
  }

  #endInvalid(): void {
    void this.terminate(
      new WorkerCrashed("The graphs' worker was ended: it sent a message that isn't part of the protocol."),
    );
  }

  #close(reason: Error): void {
    this.#lose(reason);
    this.calls.close(reason);
  }
}
