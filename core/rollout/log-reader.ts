import type { ControlPlane } from "../client/client.ts";
import type { CallOptions } from "../client/response.ts";
import type { LogEntry } from "../client/wire/revisions.ts";

/** The largest page, in lines. */
const pageSize = 500;

/** Pages of one read. */
const maxPages = 20;

export interface LogSource {
  kind: "build" | "deploy";
  deploymentId: string;
  revisionId: string;
  /** ISO 8601; earlier lines are left out. @default all */
  since?: string | undefined;
}

/** Reads a revision's log as it grows. */
export class LogReader {
  readonly #client: ControlPlane;
  readonly #source: LogSource;
  readonly #seen = new Set<string>();
  #newest: string | undefined;

  constructor(client: ControlPlane, source: LogSource) {
    this.#client = client;
    this.#source = source;
    this.#newest = source.since;
  }

  /**
   * Calls `onEntries` with the lines that no earlier read has had, oldest first, page by page.
   * @returns whether more lines may be there now
   * @throws the client's errors
   */
  async read(onEntries: (entries: readonly LogEntry[]) => void, call: CallOptions = {}): Promise<boolean> {
    const { kind, deploymentId, revisionId } = this.#source;
    const read = kind === "build" ? "buildLogs" : "deployLogs";
    // The offset of a page counts from this time.
    const since = this.#newest;
    for (let page = 0, offset: string | undefined; page < maxPages; page += 1) {
      const query = { order: "asc", limit: pageSize, start_time: since, offset } as const;
      const { logs, next_offset: next } = await this.#client.revisions[read](deploymentId, revisionId, query, call);
      const unseen = this.#unseen(logs);
      if (unseen.length > 0) onEntries(unseen);
      if (next === null || next === undefined || next === "" || next === offset) return false;
      offset = next;
    }
    return true;
  }

  #unseen(entries: readonly LogEntry[]): LogEntry[] {
    const unseen = entries.filter((entry) => {
      const key = entry.id ?? `${entry.timestamp} ${entry.message}`;
      if (this.#seen.has(key)) return false;
      this.#seen.add(key);
      return true;
    });
    const time = new Date(unseen.at(-1)?.timestamp ?? Number.NaN);
    if (!Number.isNaN(time.getTime())) this.#newest = time.toISOString();
    return unseen;
  }
}
