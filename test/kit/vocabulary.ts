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
  return findingsIn(source, (node) => {
    if (!ts.isIdentifier(node) && !ts.isPrivateIdentifier(node)) return [];
    const name = `-${partsOf(node.text).join("-")}-`;
    return parts.flatMap(([word, part]) => (name.includes(part) ? [{ word, text: node.text }] : []));
  });
}

/** The string literals in a source that contain a forbidden phrase, also in a template with values. */
export function forbiddenLiterals(source: string, phrases: readonly string[]): Finding[] {
  return findingsIn(source, (node) => {
    if (!ts.isStringLiteralLike(node) && !ts.isTemplateLiteralToken(node)) return [];
    return phrasesIn(node.text, phrases).map((word) => ({ word, text: node.text }));
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

const patterns = new Map<string, RegExp>();

function patternOf(phrase: string): RegExp {
  // "No more than 5" is a limit, not an end.
  const create = () => new RegExp(`(?<![\\w-])${phrase.split(" ").join("\\s+")}(?![\\w-])(?! than\\b)`, "i");
  const pattern = patterns.get(phrase) ?? create();
  patterns.set(phrase, pattern);
  return pattern;
}

function phrasesIn(text: string, phrases: readonly string[]): string[] {
  return phrases.filter((phrase) => patternOf(phrase).test(text));
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

/** The findings of `check` in all nodes of a source, with their lines. */
function findingsIn(source: string, check: (node: ts.Node) => Omit<Finding, "line">[]): Finding[] {
  const file = ts.createSourceFile("source.ts", source, ts.ScriptTarget.ESNext);
  const findings: Finding[] = [];
  const visit = (node: ts.Node): void => {
    for (const found of check(node)) {
      findings.push({ ...found, line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return findings;
}
