const space = "[ \\t\\r\\n]*";
const punctuation = "(?<punctuation>[{}[\\],:])";
const text = String.raw`(?<text>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")`;
const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const token = new RegExp(`${space}(?:${punctuation}|${text}|${number}|true|false|null)`, "y");
const leadingSpace = new RegExp(space, "y");

/** What may come next: a value, the first item or key of an opened list or map, a key, a colon, or what follows a value. */
type Expected = "value" | "first-item" | "first-key" | "key" | "colon" | "next";

/**
 * Where `json` stops being JSON, as an offset; `undefined` for valid JSON. The messages of `JSON.parse` quote the text around a mistake, which
 * may be a secret, and often lack the position.
 */
export function invalidJsonAt(json: string): number | undefined {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  token.lastIndex = 0;
  for (;;) {
    leadingSpace.lastIndex = token.lastIndex;
    leadingSpace.exec(json);
    const at = leadingSpace.lastIndex;
    if (expected === "next" && open.length === 0) return at === json.length ? undefined : at;
    const match = token.exec(json);
    if (match === null) return at;
    const next = after(match.groups?.punctuation, match.groups?.text !== undefined, expected, open);
    if (next === undefined) return at;
    expected = next;
  }
}

/** What may follow a token; `undefined` where the token itself can't be there. Opens and closes lists and maps. */
function after(
  punctuation: string | undefined,
  isText: boolean,
  expected: Expected,
  open: ("{" | "[")[],
): Expected | undefined {
  const takesValue = expected === "value" || expected === "first-item";
  if (punctuation === undefined) {
    if (takesValue) return "next";
    return isText && (expected === "key" || expected === "first-key") ? "colon" : undefined;
  }
  if (punctuation === ":") return expected === "colon" ? "value" : undefined;
  if (punctuation === "{" || punctuation === "[") {
    if (!takesValue) return undefined;
    open.push(punctuation);
    return punctuation === "{" ? "first-key" : "first-item";
  }
  const inside = open.at(-1);
  if (punctuation === ",") {
    if (expected !== "next" || inside === undefined) return undefined;
    return inside === "{" ? "key" : "value";
  }
  const closes = punctuation === "}" ? "{" : "[";
  const mayClose = expected === "next" || expected === (closes === "{" ? "first-key" : "first-item");
  if (inside !== closes || !mayClose) return undefined;
  open.pop();
  return "next";
}
