/** Exit code after Ctrl-C, as shells have it. */
export const interruptedCode = 130;

/** How a run is ended by a signal. */
export interface Interruption extends Disposable {
  signal: AbortSignal;
}

/**
 * The first SIGINT or SIGTERM aborts: nothing further is started, and what is known is reported. The second ends the
 * process at once.
 * @param onFirst says so
 * @param onSecond gives the terminal back
 */
export function interruptible(onFirst: () => void, onSecond: () => void): Interruption {
  const aborted = new AbortController();
  const onSignal = () => {
    if (aborted.signal.aborted) {
      onSecond();
      process.exit(interruptedCode);
    }
    aborted.abort();
    onFirst();
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.on(signal, onSignal);
  return {
    signal: aborted.signal,
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
