/** Escapes text for Markdown, so that it can't format, link, mention somebody or end a table's cell. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/\s*[\r\n]+\s*/g, " ")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/[\\`*_{}[\]()#+!|~]/g, "\\$&")
    .replace(/@/g, "@\u200b")
    .replace(/:\/\//g, ":\u200b//");
}

/** Text as inline code. */
export function code(text: string): string {
  return `<code>${text
    .replace(/[\r\n]+/g, " ")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/[\\`*_{}[\]()#+!|~]/g, (letter) => `&#${letter.charCodeAt(0)};`)
    .replace(/@/g, "&#64;")}</code>`;
}

/** A link, or the escaped address if it isn't http or https. */
export function link(label: string, address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return escapeMarkdown(address);
  return `[${label}](${url.href.replace(/[()<>\s|]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)})`;
}

/** Lines as a code block, whose fence is longer than any in them. */
export function codeBlock(lines: readonly string[]): string {
  const text = lines.join("\n");
  const maxTicks = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(maxTicks + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/** The last lines that fit into `bytes`, after a line that says how many are left out. */
export function lastLinesWithin(lines: readonly string[], bytes: number): string[] {
  const kept: string[] = [];
  let size = 0;
  for (const line of lines.toReversed()) {
    const short = Buffer.byteLength(line) > 2_000 ? `${line.slice(0, 500)} …` : line;
    size += Buffer.byteLength(short) + 1;
    if (size > bytes) {
      kept.push(`… ${lines.length - kept.length} lines left out …`);
      break;
    }
    kept.push(short);
  }
  return kept.reverse();
}

/** The first lines that fit into `bytes`, before one that says how many are left out. */
export function firstLinesWithin(lines: readonly string[], bytes: number): string[] {
  return lastLinesWithin(lines.toReversed(), bytes).reverse();
}
