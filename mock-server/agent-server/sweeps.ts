/**
 * The time of the first sweep at `time` or later, in milliseconds since the epoch. Sweeps are at multiples of the
 * interval; without one, at any time.
 */
export function sweepAfter(time: number, intervalMinutes: number | null): number {
  if (intervalMinutes === null) return time;
  const interval = intervalMinutes * 60_000;
  return Math.ceil(time / interval) * interval;
}
