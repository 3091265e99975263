import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import { Calls } from "../calls.ts";

/** A line that code in a thread has printed. */
export interface LogLine {
  stream: "stdout" | "stderr";
  text: string;
}

/** Why a thread is gone. */
export class ThreadLost extends Error {
  override readonly name: string = "ThreadLost";
}

/** It has ended by itself, by something that its code did. */
export class ThreadCrashed extends ThreadLost {
  override readonly name = "ThreadCrashed";
}

export interface WorkerThreadOptions {
  /** The thread's environment, which more can be added to with what it loads. */
  env: NodeJS.ProcessEnv;
  /** The most memory for its values, in MiB. @default Node.js's own */
  memoryMb?: number | undefined;
}

/** The entry of threads: beside this file, or beside the bundle that this file has become a part of. */
const entry = import.meta.url.endsWith(".ts")
  ? new URL("../inside/worker-main.ts", import.meta.url)
  : new URL("./worker.js", import.meta.url);

/** One thread for a project's code, which it is told of by a call of its method `load`. */
export class WorkerThread {
  readonly calls: Calls;
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  #answered: () => void = () => undefined;

  constructor({ env, memoryMb }: WorkerThreadOptions) {
    this.#worker = new Worker(entry, {
      env,
      stdout: true,
      stderr: true,
      name: "graphs",
      ...(memoryMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb } }),
    });
    this.calls = new Calls(this.#worker);
    this.calls.on("pong", () => this.#answered());
    let cause: Error | undefined;
    this.#worker.on("error", (error: Error) => {
      cause = error;
    });
    this.#ended = new Promise((resolve) => {
      this.#worker.once("exit", (code) => {
        const reason = cause?.message ?? `it exited with code ${code}`;
        this.calls.lose(new ThreadCrashed(`The thread with the graphs has ended: ${reason}.`, { cause }));
        resolve();
      });
    });
  }

  /** Passes on what its code prints, which waits until then. */
  readOutput(onLog: (line: LogLine) => void): void {
    readLines(this.#worker.stdout, "stdout", onLog);
    readLines(this.#worker.stderr, "stderr", onLog);
  }

  /** Resolves once the thread has answered, which it only does when no code of a graph keeps it busy. */
  async ping(): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      this.#answered = resolve;
    });
    this.calls.notify("ping", undefined);
    await answered;
  }

  /** Resolves when the thread has ended, whatever has ended it. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Ends the thread, whatever it is doing; what waits for it is told the reason. */
  async terminate(reason: Error): Promise<void> {
    this.calls.lose(reason);
    await this.#worker.terminate();
  }
}

function readLines(stream: Readable, name: LogLine["stream"], onLog: (line: LogLine) => void): void {
  createInterface({ input: stream }).on("line", (text) => onLog({ stream: name, text }));
}
