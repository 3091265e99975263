/** Text of others inside Markdown: nothing in it formats, links, mentions or ends a table's cell. */
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

/** Text as code in a line. */
export function code(text: string): string {
  return `<code>${text
    .replace(/[\r\n]+/g, " ")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/[\\`*_{}[\]()#+!|~]/g, (letter) => `&#${letter.charCodeAt(0)};`)
    .replace(/@/g, "&#64;")}</code>`;
}

/** A link, or the escaped label alone where the address isn't one of the web. */
export function link(label: string, address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return escapeMarkdown(address);
  return `[${label}](${url.href.replace(/[()<>\s|]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)})`;
}

/** Lines as a block of code, whose fence is longer than any in them. */
export function codeBlock(lines: readonly string[]): string {
  const text = lines.join("\n");
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/** The last lines that fit into `bytes`, and a first line that says so where some are left out. */
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
