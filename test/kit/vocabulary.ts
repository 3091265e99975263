import ts from "typescript";

/** A forbidden word or phrase in a text. */
export interface Finding {
  /** A key of the list. */
  word: string;
  /** The identifier or text that contains it. */
  text: string;
  /** Counted from 1. */
  line: number;
}

/** The identifiers in a TypeScript or JavaScript source that contain a forbidden name. Comments are ignored. */
export function forbiddenIdentifiers(source: string, words: readonly string[]): Finding[] {
  const parts = words.map((word) => [word, `-${partsOf(word).join("-")}-`] as const);
  return nodesOf(source).flatMap(({ node, line }) => {
    if (!ts.isIdentifier(node) && !ts.isPrivateIdentifier(node)) return [];
    const name = `-${partsOf(node.text).join("-")}-`;
    return parts.flatMap(([word, part]) => (name.includes(part) ? [{ word, text: node.text, line }] : []));
  });
}

/** The string literals in a source that contain a forbidden phrase, also in a template with values. */
export function forbiddenLiterals(source: string, phrases: readonly string[]): Finding[] {
  return nodesOf(source).flatMap(({ node, line }) => {
    if (!ts.isStringLiteralLike(node) && !ts.isTemplateLiteralToken(node)) return [];
    return phrasesIn(node.text, phrases).map((word) => ({ word, text: node.text, line }));
  });
}

/** The lines of a page that contain a forbidden phrase, also one that continues on the next line. */
export function forbiddenLines(page: string, phrases: readonly string[]): Finding[] {
  const lines = page.split("\n");
  return lines.flatMap((text, index) => {
    const next = lines[index + 1] ?? "";
    const inNext = new Set(phrasesIn(next, phrases));
    const found = phrasesIn(`${text} ${next}`, phrases).filter(
      (word) => !inNext.has(word) || phrasesIn(text, [word])[0] !== undefined,
    );
    return found.map((word) => ({ word, text: text.trim(), line: index + 1 }));
  });
}

function phrasesIn(text: string, phrases: readonly string[]): string[] {
  return phrases.filter((phrase) => {
    const pattern = phrase.split(" ").join("\\s+");
    // "No more than 5" is a limit, not an end.
    return new RegExp(`(?<![\\w-])${pattern}(?![\\w-])(?! than\\b)`, "i").test(text);
  });
}

/** The words of a name in camelCase, PascalCase or UPPER_CASE, in lower case. */
function partsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .split(/[-_#$]+/)
    .filter((part) => part !== "")
    .map((part) => part.toLowerCase());
}

function nodesOf(source: string): { node: ts.Node; line: number }[] {
  const file = ts.createSourceFile("source.ts", source, ts.ScriptTarget.ESNext);
  const nodes: { node: ts.Node; line: number }[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push({ node, line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1 });
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return nodes;
}
