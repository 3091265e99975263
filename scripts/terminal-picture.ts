/** Terminal colors for a dark background, by parameter of an escape sequence. */
const colors: Readonly<Record<string, string>> = {
  "30": "#6e7681",
  "31": "#ff7b72",
  "32": "#7ee787",
  "33": "#e3b341",
  "34": "#79c0ff",
  "35": "#d2a8ff",
  "36": "#76e3ea",
  "37": "#e6edf3",
  "90": "#6e7681",
  "91": "#ff7b72",
  "92": "#7ee787",
  "93": "#e3b341",
  "94": "#79c0ff",
  "95": "#d2a8ff",
  "96": "#76e3ea",
  "97": "#ffffff",
};

const foreground = "#e6edf3";
const background = "#0d1117";
const fontSize = 13;
const lineHeight = 20;
/** Width of a monospaced character as a share of the font size. */
const characterWidth = 0.602;
const padding = 20;

interface Style {
  color: string;
  isBold: boolean;
}

/**
 * An SVG picture of terminal output; `title` says what it shows. Colors and bold text follow its escape sequences;
 * others are left out.
 */
export function terminalPicture(title: string, lines: readonly string[]): string {
  const columns = Math.max(...lines.map((line) => visibleText(line).length));
  const width = Math.ceil(columns * fontSize * characterWidth) + 2 * padding;
  const height = lines.length * lineHeight + 2 * padding;
  const style: Style = { color: foreground, isBold: false };
  const rows = lines.map((line, index) => {
    const y = padding + (index + 0.75) * lineHeight;
    return `<text x="${padding}" y="${y}" xml:space="preserve">${spans(line, style)}</text>`;
  });
  const font = `font-family="ui-monospace, Menlo, Consolas, 'Liberation Mono', monospace" font-size="${fontSize}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ${font}>`,
    `<title>${title}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${background}"/>`,
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

/** Parameters and command of an escape sequence. */
const escapeSequence = new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)([A-Za-z])`);

function visibleText(line: string): string {
  return line.replaceAll(new RegExp(escapeSequence, "g"), "");
}

/**
 * The parts of a line with their styles. `style` is the style at the end of the previous line; the function updates it
 * to the one at the end of this line.
 */
function spans(line: string, style: Style): string {
  const [first = "", ...rest] = line.split(escapeSequence);
  let made = span(first, style);
  // The split alternates text with what the expression captures: parameters and command.
  for (let index = 0; index < rest.length; index += 3) {
    const [parameters = "", command = "", text = ""] = rest.slice(index, index + 3);
    if (command === "m") applyParameters(style, parameters);
    made += span(text, style);
  }
  return made;
}

function applyParameters(style: Style, parameters: string): void {
  // One of 256 colors, of which the first 16 are those above.
  const indexed = /^38;5;(\d+)$/.exec(parameters)?.[1];
  if (indexed !== undefined) {
    const index = Number(indexed);
    style.color = colors[String(index < 8 ? 30 + index : 82 + index)] ?? foreground;
    return;
  }
  for (const parameter of parameters.split(";")) {
    if (parameter === "" || parameter === "0") Object.assign(style, { color: foreground, isBold: false });
    else if (parameter === "1") style.isBold = true;
    else if (parameter === "39") style.color = foreground;
    else style.color = colors[parameter] ?? style.color;
  }
}

function span(text: string, { color, isBold }: Style): string {
  if (text === "") return "";
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<tspan fill="${color}"${isBold ? ' font-weight="bold"' : ""}>${escaped}</tspan>`;
}
