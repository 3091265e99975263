/** A test for a pattern in which `*` stands for any characters and `?` for one; everything else stands for itself. */
export function globMatcher(pattern: string): (text: string) => boolean {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  const expression = new RegExp(`^${escaped.replace(/\*+/g, ".*").replace(/\?/g, ".")}$`, "s");
  return (text) => expression.test(text);
}
