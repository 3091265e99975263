const unitsInMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Milliseconds of a duration such as `250ms`, `5s`, `1.5m`, `1h` or `1m30s`; a bare number is in milliseconds.
 * @throws {RangeError} when the text is no duration.
 */
export function parseDuration(duration: string | number): number {
  if (typeof duration === "number" && Number.isFinite(duration) && duration >= 0) return duration;
  const text = String(duration).trim();
  if (/^\d+$/.test(text)) return Number(text);
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) {
    throw new RangeError(`"${text}" is no duration: write a number and a unit, for example 250ms, 5s, 30m or 1m30s.`);
  }
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (unitsInMs[unit as string] as number);
  }
  return total;
}
