/**
 * A test for a pattern in which `*` stands for any characters and `?` for one; everything else stands for itself. Its time grows with the pattern times the
 * text, whatever they are: patterns come from requests, and an expression that tries everything would hang the server.
 */
export function globMatcher(pattern: string): (text: string) => boolean {
  return (text) => {
    let at = 0;
    let inPattern = 0;
    /** Behind the last star, and how far that has come. */
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
