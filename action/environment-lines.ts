import type { InputProblem } from "./input-problem.ts";

/** Lines of `KEY=VALUE`, read. */
export interface EnvironmentLines {
  entries: Record<string, string>;
  problems: readonly InputProblem[];
}

const severalLines = `A value of several lines needs the JSON form: {"KEY": \${{ toJSON(secrets.KEY) }}}.`;

const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/;

/**
 * A name that stands alone in its line. Only names as they are usually written: any other line may be the rest of a secret, which must not be shown
 * as a name.
 */
const bareName = /^\s*(?:export\s+)?((?:[A-Z]+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+))\s*$/;

/** The name in a line that has nothing but a name. */
export function bareNameIn(line: string): string | undefined {
  return bareName.exec(line)?.[1];
}

/**
 * Reads lines as they are written in `.env` files. Node.js has a reader of its own, which ends an unquoted value at its first `#`: secrets that an
 * expression puts there may have one, so here only a line that begins with `#` is a comment.
 * @param variable gives the value of a name that stands alone; `undefined` leaves it out
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
    const alone = bareNameIn(line);
    const [, name = alone, value = ""] = assignment.exec(line) ?? [];
    if (name === undefined) {
      problems.push({ input, message: `is not KEY=VALUE in line ${number}. ${severalLines}` });
      continue;
    }
    if (alone === undefined && continuesBase64(previous, line.trim())) {
      problems.push({ input, message: continuedValue(number) });
      continue;
    }
    const quoted = quotedValue(value, lines.slice(index + 1));
    if (quoted?.isAmbiguous === true) problems.push({ input, message: continuedValue(number + quoted.lineCount - 1) });
    else if (entries.has(name)) problems.push({ input, message: `sets ${name} twice, in line ${number} again.` });
    else entries.set(name, alone === undefined ? (quoted?.text ?? value) : variable(alone));
    index += (quoted?.lineCount ?? 1) - 1;
    previous = quoted === undefined ? value.trim() : "";
  }
  const known = [...entries].filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { entries: Object.fromEntries(known), problems };
}

function continuedValue(line: number): string {
  return `has in line ${line} what looks like the end of a value. ${severalLines}`;
}

interface Quoted {
  text: string;
  lineCount: number;
  /** A line inside the quotes reads as an entry of its own, so one of the quotes may be missing. */
  isAmbiguous: boolean;
}

/**
 * A value that is one quoted text, perhaps over several lines, with nothing behind it but a comment. Anything else, such as a password that begins
 * with a quote, is no quoted text and stays as it is.
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
    // A quote that closes elsewhere than at the end closes no quoted text.
    if (new RegExp(`^\\s*${quote}${inside}${quote}`).test(text)) return undefined;
  }
  return undefined;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" };

/** In double quotes a backslash has a meaning before these characters, and stands for itself before any other. */
function unescaped(text: string): string {
  return text.replace(/\\([nrt"\\])/g, (_, letter: string) => escapes[letter] ?? letter);
}

/**
 * Whether a line in the form of `KEY=VALUE` is the end of the value before it: of Base64, whose padding reads as `=`. Taken as an entry, its first
 * part, which may be secret, would be a name that is shown.
 */
function continuesBase64(previous: string, line: string): boolean {
  if (/^[A-Za-z0-9]+==$/.test(line)) return true;
  // One sign may also be an empty value, so what comes before must be whole groups of Base64, and the line no usual name.
  if (!/^[A-Za-z0-9]+=$/.test(line) || line.length % 4 !== 0 || /^[A-Z]+=$/.test(line)) return false;
  return previous.length >= 16 && previous.length % 4 === 0 && /^[A-Za-z0-9+/]+$/.test(previous);
}
