/**
 * Makes a predicate for a pattern in which `*` matches any characters and `?` any one. Takes time proportional to the
 * lengths of pattern and text at worst: patterns come from requests, and a backtracking expression could hang the
 * server.
 */
export function globMatcher(pattern: string): (text: string) => boolean {
  return (text) => {
    let at = 0;
    let inPattern = 0;
    /** Positions to resume from after the last star. */
    let retry: { pattern: number; text: number } | undefined;
    while (at < text.length) {
      const wanted = pattern[inPattern];
      if (wanted === "*") {
        inPattern++;
        retry = { pattern: inPattern, text: at };
      } else if (wanted === "?" || wanted === text[at]) {
        inPattern++;
        at++;
      } else if (retry) {
        retry.text++;
        at = retry.text;
        inPattern = retry.pattern;
      } else return false;
    }
    return /^\**$/.test(pattern.slice(inPattern));
  };
}
