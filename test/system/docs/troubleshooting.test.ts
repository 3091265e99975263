import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const checkout = dirname(dirname(dirname(import.meta.dirname)));

/** The literal parts of the messages that the headings quote. `…` stands for the variable parts of a message. */
function quotedPieces(page: string): string[] {
  const headings = page.split("\n").filter((line) => line.startsWith("### "));
  const quotes = headings.flatMap((heading) => [...heading.matchAll(/`([^`]+)`/g)].map(([, quote]) => quote ?? ""));
  return quotes
    .filter((quote) => !quote.startsWith("pulumi "))
    .flatMap((quote) => quote.split("…"))
    .map((piece) => piece.trim())
    .filter((piece) => /[a-z]{2}/.test(piece));
}

test("every message on the troubleshooting page exists in the sources", async () => {
  const page = await readFile(join(checkout, "docs/guides", "troubleshooting.md"), "utf8");
  const files = globSync("{core,provider,action,cli,mock-server}/**/*.ts", { cwd: checkout });
  const sources = (await Promise.all(files.map((file) => readFile(join(checkout, file), "utf8")))).join("\n");
  const pieces = quotedPieces(page);
  expect(pieces.length).toBeGreaterThan(60);
  expect(pieces.filter((piece) => !sources.includes(piece))).toEqual([]);
});
