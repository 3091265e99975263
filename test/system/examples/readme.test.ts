import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkout } from "../../kit/pulumi/command-line.ts";

const documents = ["README.md", "docs/pulumi.md", "docs/mock-server.md"];

/** Code blocks that follow a comment with the file that they show. */
async function shownFiles(document: string): Promise<{ file: string; code: string }[]> {
  const text = await readFile(join(checkout, document), "utf8");
  return [...text.matchAll(/<!-- (\S+) -->\n```\w+\n([\s\S]*?)```/g)].map(([, file = "", code = ""]) => ({
    file,
    code,
  }));
}

test.each(documents)("the examples in %s are the files that the tests run", async (document) => {
  const shown = await shownFiles(document);
  expect(shown.length).toBeGreaterThan(0);
  for (const { file, code } of shown) expect(code, file).toBe(await readFile(join(checkout, file), "utf8"));
});
