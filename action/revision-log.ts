import type { ControlPlane } from "../core/client/client.ts";
import type { LogEntry } from "../core/client/wire/revisions.ts";
import { LogReader } from "../core/rollout/log-reader.ts";
import type { Console } from "./console.ts";
import type { ShownLog } from "./shown-log.ts";

/** The pause between two reads of the log, in milliseconds. */
const pauseMs = 3_000;

/**
 * Prints the build or deploy log of one revision as it grows. Best effort: a log that can't be read doesn't affect the
 * rollout.
 */
export class RevisionLog {
  readonly #client: ControlPlane;
  readonly #console: Console;
  readonly #shown: ShownLog;
  readonly #kind: "build" | "deploy";
  readonly #reader: LogReader;
  readonly #stopped = new AbortController();
  readonly #following: Promise<void>;

  constructor(
    client: ControlPlane,
    console: Console,
    shown: ShownLog,
    kind: "build" | "deploy",
    deploymentId: string,
    revisionId: string,
  ) {
    this.#client = client;
    this.#console = console;
    this.#shown = shown;
    this.#kind = kind;
    this.#reader = new LogReader(client, { kind, deploymentId, revisionId });
    this.#following = this.#follow();
  }

  /** Stops; with `finalRead`, after printing the remaining lines. */
  async stop(options: { finalRead: boolean }): Promise<void> {
    this.#stopped.abort();
    await this.#following;
    if (options.finalRead) await this.#read();
  }

  async #follow(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      await this.#read();
      await this.#client.clock.sleep(pauseMs, this.#stopped.signal).catch(() => undefined);
    }
  }

  async #read(): Promise<void> {
    const signal = this.#stopped.signal.aborted ? undefined : this.#stopped.signal;
    try {
      await this.#reader.read((entries) => this.#print(entries), { deadlineMs: 10_000, signal });
    } catch (error) {
      this.#console.debug(`The ${this.#kind} log can't be read: ${error instanceof Error ? error.message : error}`);
    }
  }

  #print(entries: readonly LogEntry[]): void {
    const lines = entries.map(({ message }) => message);
    this.#shown.add(lines);
    this.#console.printLog(this.#kind === "build" ? "Build log" : "Deploy log", lines);
  }
}
