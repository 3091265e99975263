/** How many different warnings there are at most: who sends ever new names is told no more of them. */
const maxWarnings = 200;

/** Passes each warning on once. */
export function warnOnce(warn: (message: string) => void): (message: string) => void {
  const given = new Set<string>();
  return (message) => {
    if (given.has(message) || given.size >= maxWarnings) return;
    given.add(message);
    warn(message);
  };
}
