/** Limits of one call; all in milliseconds. */
export interface HttpLimits {
  /** One attempt, from sending to the last byte of the answer. Default 30 s. */
  attemptTimeoutMs: number;
  /** The whole call with its repetitions. Default 120 s. */
  deadlineMs: number;
  /** Repetitions after 408 and 5xx. After a 429, which says that the server is well and busy, only the deadline ends them. Default 10. */
  maxRetries: number;
  /** Repetitions after a connection that failed. Default 6, about 20 s. */
  maxConnectionRetries: number;
}

export const defaultHttpLimits: HttpLimits = {
  attemptTimeoutMs: 30_000,
  deadlineMs: 120_000,
  maxRetries: 10,
  maxConnectionRetries: 6,
};
