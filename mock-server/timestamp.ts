let lastTime = Number.NaN;
let lastText = "";

/** A moment, in milliseconds since the epoch, in ISO 8601. Most that are asked for one after another are the same one. */
export function timestamp(ms: number): string {
  if (ms !== lastTime) {
    lastText = new Date(ms).toISOString();
    lastTime = ms;
  }
  return lastText;
}
