import type { Logger } from "../redact.ts";
import { type Clock, formatDuration } from "../time.ts";
import { withoutHint } from "./errors.ts";
import type { AttemptFailure } from "./retry.ts";

/** The least time between two lines about the same outage, in milliseconds; a wait's heartbeat is as frequent. */
const noticeIntervalMs = 30_000;

/** A failure so long after the one before, in milliseconds, begins another outage. */
const staleMs = 300_000;

interface Outage {
  /** The request that failed first. */
  path: string;
  kind: AttemptFailure["kind"];
  startedAtMs: number;
  lastFailedAtMs: number;
  lastNoticeAtMs: number;
}

/**
 * Reports a client's retries: a line when they begin, at most one every 30 s while they go on, and one when the control
 * plane responds again. The other retries are logged as debug.
 */
export class RetryNotices {
  readonly #logger: Logger;
  readonly #clock: Clock;
  #outage: Outage | undefined;

  constructor({ logger, clock }: { logger: Logger; clock: Clock }) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** A request is retried after `delayMs`. */
  retries(path: string, { error, kind }: AttemptFailure, delayMs: number): void {
    const now = this.#clock.now();
    const reason = withoutHint(error);
    const outage = this.#outage;
    if (outage === undefined || now - outage.lastFailedAtMs > staleMs) {
      this.#outage = { path, kind, startedAtMs: now, lastFailedAtMs: now, lastNoticeAtMs: now };
      this.#logger.warn(`${reason} Retrying.`);
      return;
    }
    outage.lastFailedAtMs = now;
    if (now - outage.lastNoticeAtMs < noticeIntervalMs) {
      this.#logger.debug(`${reason} Retrying in ${formatDuration(delayMs)}.`);
      return;
    }
    outage.lastNoticeAtMs = now;
    this.#logger.warn(`${reason} Still retrying after ${formatDuration(now - outage.startedAtMs)}.`);
  }

  /** The control plane has responded to a request. */
  responds(path: string): void {
    const outage = this.#outage;
    // While one resource fails, others may respond.
    if (outage === undefined || (outage.kind === "status" && outage.path !== path)) return;
    this.#outage = undefined;
    const elapsedMs = this.#clock.now() - outage.startedAtMs;
    this.#logger.info(`The server responds again after ${formatDuration(elapsedMs)}.`);
  }
}
