/**
 * The tool calls in progress, for clients that cancel one. There are no sessions, and clients count their requests from
 * the same number: a cancellation that could mean the calls of two clients has no effect, as the protocol permits.
 */
export class ToolCalls {
  readonly #calls = new Map<string, Set<AbortController>>();

  /**
   * Runs a call; the signal is aborted when the caller cancels it, or when `closed` is aborted. `caller` is an identity,
   * or `null` where there are no users.
   */
  async run<Result>(
    caller: string | null,
    requestId: string | number,
    closed: AbortSignal,
    call: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const key = keyOf(caller, requestId);
    const cancelled = new AbortController();
    const calls = this.#calls.get(key) ?? new Set();
    this.#calls.set(key, calls.add(cancelled));
    try {
      return await call(AbortSignal.any([closed, cancelled.signal]));
    } finally {
      calls.delete(cancelled);
      if (calls.size === 0) this.#calls.delete(key);
    }
  }

  cancel(caller: string | null, requestId: string | number): void {
    const [call, ...others] = this.#calls.get(keyOf(caller, requestId)) ?? [];
    if (others.length === 0) call?.abort();
  }
}

function keyOf(caller: string | null, requestId: string | number): string {
  return JSON.stringify([caller, requestId]);
}
