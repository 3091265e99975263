import type { ControlPlane } from "../core/client/client.ts";
import type { LogEntry } from "../core/client/wire/revisions.ts";
import type { Console } from "./console.ts";
import type { ShownLog } from "./shown-log.ts";

/** The pause between two reads of the log, in milliseconds. */
const pauseMs = 3_000;

/** The most pages of one read, with 500 lines each. */
const maxPages = 20;

/**
 * Prints the build or deploy log of one revision as it grows. Best effort: a log that can't be read doesn't affect the
 * rollout.
 */
export class RevisionLog {
  readonly #client: ControlPlane;
  readonly #console: Console;
  readonly #shown: ShownLog;
  readonly #kind: "build" | "deploy";
  readonly #deploymentId: string;
  readonly #revisionId: string;
  readonly #seen = new Set<string>();
  readonly #stopped = new AbortController();
  readonly #following: Promise<void>;
  #newest: string | undefined;

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
    this.#deploymentId = deploymentId;
    this.#revisionId = revisionId;
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
    try {
      for (let page = 0, offset: string | undefined; page < maxPages; page += 1) {
        const query = { order: "asc", limit: 500, start_time: this.#newest, offset } as const;
        const read = this.#kind === "build" ? "buildLogs" : "deployLogs";
        const call = { deadlineMs: 10_000, signal: this.#stopped.signal.aborted ? undefined : this.#stopped.signal };
        const { revisions } = this.#client;
        const { logs, next_offset: next } = await revisions[read](this.#deploymentId, this.#revisionId, query, call);
        this.#print(logs);
        if (next === null || next === undefined || next === "" || next === offset) return;
        offset = next;
      }
    } catch (error) {
      this.#console.debug(`The ${this.#kind} log can't be read: ${error instanceof Error ? error.message : error}`);
    }
  }

  #print(entries: readonly LogEntry[]): void {
    const unseen = entries.filter((entry) => {
      const key = entry.id ?? `${entry.timestamp} ${entry.message}`;
      if (this.#seen.has(key)) return false;
      this.#seen.add(key);
      return true;
    });
    const time = new Date(unseen.at(-1)?.timestamp ?? Number.NaN);
    if (!Number.isNaN(time.getTime())) this.#newest = time.toISOString();
    const lines = unseen.map(({ message }) => message);
    this.#shown.add(lines);
    this.#console.printLog(this.#kind === "build" ? "Build log" : "Deploy log", lines);
  }
}
