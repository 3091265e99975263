/** A Markdown table. Line breaks, bars and angle brackets in cells are escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`.replaceAll("|  |", "| |");
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

function cell(text: string): string {
  const outsideCode = (part: string) => part.replace(/<(?=[a-z])/g, "\\<");
  return text
    .replace(/\s*\n\s*/g, " ")
    .replaceAll("|", "\\|")
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : outsideCode(part)))
    .join("");
}

/** `text` as code; empty text stays empty. */
export function code(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}

/** A generated page of the reference, with the `command` that generates it. */
export function page(title: string, ...parts: readonly string[]): string {
  return `${[`# ${title}`, ...parts].join("\n\n")}\n`;
}
