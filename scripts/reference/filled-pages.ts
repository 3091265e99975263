import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkout } from "../run-command.ts";

/** A code block below a comment with the path of the file that it shows. */
const shownFile = /(<!-- (examples\/\S+) -->\n```\w+\n)[\s\S]*?```/g;

/** Fills the examples into handwritten pages. */
export async function filledPages(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const path of globSync(["*.md", "docs/**/*.md"], { cwd: checkout }).sort()) {
    const text = await readFile(join(checkout, path), "utf8");
    const files = new Map<string, string>();
    for (const [, , file = ""] of text.matchAll(shownFile)) {
      files.set(file, await readFile(join(checkout, file), "utf8"));
    }
    if (files.size === 0) continue;
    const filled = text.replace(shownFile, (_, opening: string, file: string) => `${opening}${files.get(file)}\`\`\``);
    pages.set(path.replaceAll("\\", "/"), filled.replaceAll("\r\n", "\n"));
  }
  return pages;
}
