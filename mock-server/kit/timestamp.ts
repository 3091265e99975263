/** A time in milliseconds since the epoch as ISO 8601. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
