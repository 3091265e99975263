import type { InputProblem } from "./input-problem.ts";

/** The entries in lines of `KEY=VALUE`, and the problems in them. */
export interface EnvironmentLines {
  entries: Record<string, string>;
  problems: readonly InputProblem[];
}

const severalLines = `A value of several lines needs the JSON form: {"KEY": \${{ toJSON(secrets.KEY) }}}.`;

const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/;

/**
 * A line with only a name. Only names in upper case count: any other line may be a part of a secret, which an error
 * message must not show as a name.
 */
const bareName = /^\s*(?:export\s+)?((?:[A-Z]+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+))\s*$/;

/** The name in a line with only a name. */
export function bareNameIn(line: string): string | undefined {
  return bareName.exec(line)?.[1];
}

/**
 * Reads lines as in `.env` files. Node.js's own parser ends an unquoted value at the first `#`, which an interpolated
 * secret may contain, so here only lines that begin with `#` are comments.
 * @param variable returns the value for a line with only a name; `undefined` leaves the name out
 */
export function readLines(
  input: string,
  text: string,
  variable: (name: string) => string | undefined,
): EnvironmentLines {
  const entries = new Map<string, string | undefined>();
  const problems: InputProblem[] = [];
  const lines = text.split(/\r?\n/);
  let previous = "";
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    const number = index + 1;
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const nameOnly = bareNameIn(line);
    const [, name = nameOnly, value = ""] = assignment.exec(line) ?? [];
    if (name === undefined) {
      problems.push({ input, message: `is not KEY=VALUE in line ${number}. ${severalLines}` });
      continue;
    }
    if (nameOnly === undefined && continuesBase64(previous, line.trim())) {
      problems.push({ input, message: continuedValue(number) });
      continue;
    }
    const quoted = quotedValue(value, lines.slice(index + 1));
    if (quoted?.isAmbiguous === true) problems.push({ input, message: continuedValue(number + quoted.lineCount - 1) });
    else if (entries.has(name)) problems.push({ input, message: `sets ${name} twice, in line ${number} again.` });
    else entries.set(name, nameOnly === undefined ? (quoted?.text ?? value) : variable(nameOnly));
    index += (quoted?.lineCount ?? 1) - 1;
    previous = quoted === undefined ? value.trim() : "";
  }
  const known = [...entries].filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { entries: Object.fromEntries(known), problems };
}

function continuedValue(line: number): string {
  return `has what looks like the end of a value in line ${line}. ${severalLines}`;
}

interface Quoted {
  text: string;
  lineCount: number;
  /** Whether a line inside the quotes looks like an entry, so that a quote may be missing. */
  isAmbiguous: boolean;
}

/**
 * A quoted value, possibly over several lines, followed by nothing but a comment. Anything else, such as a password
 * that begins with a quote, isn't quoted and stays unchanged.
 */
function quotedValue(value: string, following: readonly string[]): Quoted | undefined {
  const quote = value.trimStart()[0];
  if (quote !== '"' && quote !== "'") return undefined;
  const inside = quote === '"' ? String.raw`(?:[^"\\]|\\[^])*` : "[^']*";
  const whole = new RegExp(String.raw`^\s*${quote}(${inside})${quote}\s*(?:\s#.*)?$`);
  let text = value;
  for (const [index, line] of [undefined, ...following].entries()) {
    if (line !== undefined) text += `\n${line}`;
    const found = whole.exec(text)?.[1];
    if (found !== undefined) {
      const isAmbiguous = following.slice(0, index).some((inner) => /^\s*(?:export\s+)?\w+\s*=\s*[^\s=]/.test(inner));
      return { text: quote === '"' ? unescaped(found) : found, lineCount: index + 1, isAmbiguous };
    }
    // The quote closes before the end, so the value isn't quoted as a whole.
    if (new RegExp(`^\\s*${quote}${inside}${quote}`).test(text)) return undefined;
  }
  return undefined;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" };

/** In double quotes, a backslash escapes only these characters. */
function unescaped(text: string): string {
  return text.replace(/\\([nrt"\\])/g, (_, letter: string) => escapes[letter] ?? letter);
}

/**
 * Whether a line that looks like `KEY=VALUE` is the end of a wrapped Base64 value, with its padding. Read as an entry,
 * the first part, which may be secret, would become a visible name.
 */
function continuesBase64(previous: string, line: string): boolean {
  if (/^[A-Za-z0-9]+==$/.test(line)) return true;
  // A single `=` may also be an empty value, so the previous line must be complete Base64, and this one not a usual
  // name.
  if (!/^[A-Za-z0-9]+=$/.test(line) || line.length % 4 !== 0 || /^[A-Z]+=$/.test(line)) return false;
  return previous.length >= 16 && previous.length % 4 === 0 && /^[A-Za-z0-9+/]+$/.test(previous);
}
