import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../../../scripts/run-command.ts";

/** A page of the documentation; `path` is relative to the checkout. */
export interface MarkdownPage {
  readonly path: string;
  readonly text: string;
}

/** Every Markdown page that the repository shows its readers. */
export function markdownPages(): MarkdownPage[] {
  return globSync(["*.md", "{docs,examples,bench,.github}/**/*.md"], { cwd: checkout, exclude: ["**/node_modules/**"] })
    .map((path) => path.replaceAll("\\", "/"))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(checkout, path), "utf8") }));
}

/** A fenced block of code. */
export interface CodeBlock {
  readonly page: string;
  /** 1-based, of the line with the fence. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** The comment above the block, without its brackets; empty where there is none. */
  readonly comment: string;
}

const fencedBlock = /(?:<!-- (.*) -->\n)?^( *)```(\w*)\n([\s\S]*?)^ *```$/gm;

/** The blocks of code of a page, without the indentation that a list gives them. */
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

/** A page without its blocks of code, in which nothing is a link or a heading. */
export function prose({ text }: MarkdownPage): string {
  return text.replaceAll(fencedBlock, "");
}

/** The anchors of a page's headings, as GitHub makes them. */
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
