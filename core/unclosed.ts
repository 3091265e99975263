import { type Document, isCollection, isScalar, visit } from "yaml";

const closers: Readonly<Record<string, string>> = { '"': '"', "'": "'", "[": "]", "{": "}" };

/**
 * Where the quote or bracket opens that is still open at `offset`, where a parser gave up; `undefined` where all are
 * closed. Of several, it is the innermost.
 */
export function unclosedBefore(document: Document, text: string, offset: number): number | undefined {
  let opening: number | undefined;
  visit(document, {
    Node(_, node) {
      const isDelimited = isScalar(node) ? node.type?.startsWith("QUOTE") : isCollection(node) && node.flow;
      const [start, end] = node.range ?? [];
      if (!isDelimited || start === undefined || end !== offset) return;
      const isClosed = end - start > 1 && text[end - 1] === closers[text[start] ?? ""];
      if (!isClosed) opening = start;
    },
  });
  return opening;
}
