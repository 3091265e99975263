/** Strings and punctuation, by which to find the keys of the outermost object. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** The keys that a JSON object has more than once; `JSON.parse` silently keeps the last. `text` is valid JSON. */
export function duplicateKeys(text: string): string[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  let depth = 0;
  let last = "";
  for (const [found] of text.matchAll(token)) {
    if (found === "{" || found === "[") depth += 1;
    else if (found === "}" || found === "]") depth -= 1;
    else if (found !== ":") last = found;
    else if (depth === 1) {
      const key: string = JSON.parse(last);
      if (seen.has(key)) repeated.add(key);
      seen.add(key);
    }
  }
  return [...repeated];
}
