import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { type CommandProject, cli } from "./command.ts";

/** A line of the screen or above it; `isWrapped` where it continues the one before. */
export interface TerminalLine {
  text: string;
  /** The text with its colors, as escape sequences. */
  styled: string;
  isWrapped: boolean;
}

export interface TerminalResult {
  code: number;
  /** All lines at the end, those that have scrolled away among them, without empty ones at the end. */
  lines: TerminalLine[];
  /** The lines after each piece of output. */
  frames: TerminalLine[][];
  isCursorShown: boolean;
}

/** Runs the command in a terminal of a size. `onOutput` may type. */
export function runInTerminal(
  { folder, env }: CommandProject,
  { columns, rows = 40, env: more = {} }: { columns: number; rows?: number; env?: Record<string, string> },
  args: readonly string[],
  onOutput: (text: string, type: (text: string) => void) => void = () => undefined,
): Promise<TerminalResult> {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const child = spawn(process.execPath, [cli, ...args], {
    name: "xterm-256color",
    cols: columns,
    rows,
    cwd: folder,
    env: { ...env, ...more },
  });
  const frames: TerminalLine[][] = [];
  let output = "";
  child.onData((data) => {
    output += data;
    terminal.write(data, () => frames.push(linesOf(terminal)));
    onOutput(output, (text) => child.write(text));
  });
  return new Promise((resolve) => {
    child.onExit(({ exitCode: code }) => {
      // The rest of the output may arrive after the exit.
      setTimeout(() => {
        terminal.write("", () => {
          const hidden = output.lastIndexOf("\u001b[?25l");
          const isCursorShown = hidden <= output.lastIndexOf("\u001b[?25h");
          resolve({ code, lines: linesOf(terminal), frames, isCursorShown });
          terminal.dispose();
        });
      }, 100);
    });
  });
}

function linesOf({ buffer }: xterm.Terminal): TerminalLine[] {
  const { active } = buffer;
  const lines = Array.from({ length: active.length }, (_, index) => {
    const line = active.getLine(index);
    const text = line?.translateToString(true) ?? "";
    return { text, styled: styledText(line, text.length), isWrapped: line?.isWrapped ?? false };
  });
  const last = lines.findLastIndex(({ text }) => text !== "");
  return lines.slice(0, last + 1);
}

/** The first cells of a line, with an escape sequence before each. Those of one style are joined. */
function styledText(line: xterm.IBufferLine | undefined, length: number): string {
  let text = "";
  let last = "";
  for (let column = 0; column < length; column += 1) {
    const cell = line?.getCell(column);
    if (cell === undefined) break;
    const color = cell.isFgPalette() ? [cell.getFgColor() < 8 ? 30 + cell.getFgColor() : 82 + cell.getFgColor()] : [];
    const parameters = [0, ...(cell.isBold() ? [1] : []), ...(cell.isDim() ? [90] : color)].join(";");
    if (parameters !== last) text += `\u001b[${parameters}m`;
    last = parameters;
    text += cell.getChars() || " ";
  }
  return `${text}\u001b[0m`;
}
