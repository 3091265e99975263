/** Maximum number of different warnings, so that a client that sends ever new names can't flood the log. */
const maxWarnings = 200;

/** Forwards each warning once. */
export function warnOnce(warn: (message: string) => void): (message: string) => void {
  const given = new Set<string>();
  return (message) => {
    if (given.has(message) || given.size >= maxWarnings) return;
    given.add(message);
    warn(message);
  };
}
