import { getFormattedTokens } from "sucrase";

/** A token of a JavaScript source. Positions start at 0. */
export interface Token {
  line: number;
  start: number;
  end: number;
  label: string;
}

/** The tokens of a JavaScript source. Their texts are the source between their positions. */
export function tokensOf(source: string): Token[] {
  const offsets = [0];
  for (const { index } of source.matchAll(/\n/g)) offsets.push(index + 1);
  const offset = (line: string, column: string) => (offsets[Number(line) - 1] as number) + Number(column) - 1;
  const rows = getFormattedTokens(source, { transforms: [] }).matchAll(/^(\d+):(\d+)-(\d+):(\d+) +(\S+)/gm);
  return Array.from(rows, ([, line = "", column = "", endLine = "", endColumn = "", label = ""]) => ({
    line: Number(line) - 1,
    start: offset(line, column),
    end: offset(endLine, endColumn),
    label,
  }));
}

/** The line, counted from 1, of the first decorator in a JavaScript source; `undefined` when there is none. */
export function firstDecorator(source: string): number | undefined {
  if (!/@\s*[\w$(]/.test(source)) return undefined;
  const token = tokensOf(source).find(({ label }) => label === "@");
  return token && token.line + 1;
}
