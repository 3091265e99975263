/** A moment, in milliseconds since the epoch, in ISO 8601. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
