/** How long a request that can't be aborted may take after the run is cancelled, in milliseconds. */
const gracePeriodMs = 1_500;

/** Waits for the work; after a cancel, only for the grace period. */
export async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: graceOver, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const beginGrace = () => {
    timer = setTimeout(() => reject(signal.reason), gracePeriodMs);
  };
  signal.addEventListener("abort", beginGrace, { once: true });
  if (signal.aborted) beginGrace();
  try {
    await Promise.race([work, graceOver]);
  } finally {
    signal.removeEventListener("abort", beginGrace);
    clearTimeout(timer);
  }
}
