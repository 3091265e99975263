import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../../../scripts/run-command.ts";

/** A page of the documentation; `path` is relative to the checkout. */
export interface MarkdownPage {
  readonly path: string;
  readonly text: string;
}

/** Every Markdown page of the repository that is meant for readers. */
export function markdownPages(): MarkdownPage[] {
  return globSync(["*.md", "{docs,examples,bench,.github}/**/*.md"], { cwd: checkout, exclude: ["**/node_modules/**"] })
    .map((path) => path.replaceAll("\\", "/"))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(checkout, path), "utf8") }));
}

/** A fenced block of code. */
export interface CodeBlock {
  readonly page: string;
  /** The 1-based line of the opening fence. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** The text of the comment above the block; empty if there is none. */
  readonly comment: string;
}

const fencedBlock = /(?:<!-- (.*) -->\n)?^( *)```(\w*)\n([\s\S]*?)^ *```$/gm;

/** The code blocks of a page, without the indentation of a surrounding list. */
export function codeBlocks({ path, text }: MarkdownPage): CodeBlock[] {
  return [...text.matchAll(fencedBlock)].map(
    ({ index, 1: comment = "", 2: indent = "", 3: language = "", 4: code = "" }) => ({
      page: path,
      line: text.slice(0, index).split("\n").length + (comment === "" ? 0 : 1),
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      comment,
    }),
  );
}

/** A page without its code blocks, whose contents aren't links or headings. */
export function prose({ text }: MarkdownPage): string {
  return text.replaceAll(fencedBlock, "");
}

/** The anchors of a page's headings, as GitHub generates them. */
export function anchors(page: MarkdownPage): Set<string> {
  const found = new Set<string>();
  for (const [, heading = ""] of prose(page).matchAll(/^#+ (.*)$/gm)) {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-");
    let name = anchor;
    for (let count = 1; found.has(name); count += 1) name = `${anchor}-${count}`;
    found.add(name);
  }
  return found;
}
