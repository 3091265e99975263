/** How one status lasted. */
export interface StatusSpan {
  status: string;
  startedAtMs: number;
  durationMs: number;
}

/** A change from one status to another; `previousMs` is how long the one before lasted. */
export interface StatusChange {
  status: string;
  previous: string | undefined;
  previousMs: number;
}

/** The statuses of a revision in the order in which they were seen. Times are in milliseconds since the epoch. */
export class StatusTrail {
  readonly #spans: StatusSpan[] = [];

  get spans(): readonly StatusSpan[] {
    return this.#spans;
  }

  /** The status seen last; UNKNOWN before the first. */
  get status(): string {
    return this.#spans.at(-1)?.status ?? "UNKNOWN";
  }

  /** Takes a status that was seen; `undefined` when it is the one before. */
  note(status: string, nowMs: number): StatusChange | undefined {
    const last = this.#spans.at(-1);
    if (last?.status === status) return undefined;
    this.close(nowMs);
    this.#spans.push({ status, startedAtMs: nowMs, durationMs: 0 });
    return { status, previous: last?.status, previousMs: last?.durationMs ?? 0 };
  }

  /** Ends the last span. */
  close(nowMs: number): void {
    const last = this.#spans.at(-1);
    if (last !== undefined) last.durationMs = this.inStatusMs(nowMs);
  }

  /** How long the last status lasts. */
  inStatusMs(nowMs: number): number {
    const last = this.#spans.at(-1);
    return last === undefined ? 0 : nowMs - last.startedAtMs;
  }
}
