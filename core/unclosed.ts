import { type CST, type Document, isNode, visit } from "yaml";

/**
 * Where the quote or bracket opens that is still open at `offset`, where the parser gave up; `undefined` where all are
 * closed. Of several, it is the innermost.
 * @param document parsed with `keepSourceTokens`
 */
export function unclosedBefore(document: Document, offset: number): number | undefined {
  let opening: number | undefined;
  visit(document, (_, node) => {
    if (!isNode(node) || node.srcToken === undefined || node.range?.[1] !== offset) return;
    if (isUnclosed(node.srcToken)) opening = node.srcToken.offset;
  });
  return opening;
}

function isUnclosed(token: CST.Token): boolean {
  switch (token.type) {
    case "single-quoted-scalar":
    case "double-quoted-scalar":
      return token.source.length < 2 || token.source.at(-1) !== token.source[0];
    case "flow-collection":
      return token.end[0]?.source !== (token.start.source === "{" ? "}" : "]");
    default:
      return false;
  }
}
