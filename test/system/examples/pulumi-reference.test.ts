import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkout } from "../../kit/pulumi/command-line.ts";

test("docs/pulumi.md names every input and output of the resource", async () => {
  const source = await readFile(join(checkout, "provider/deployment.ts"), "utf8");
  const reference = await readFile(join(checkout, "docs/pulumi.md"), "utf8");
  const inputs = [...source.matchAll(/^ {2}(\w+)\??: pulumi\.Input</gm)].map(([, name]) => name);
  const outputs = [...source.matchAll(/declare public readonly (\w+):/g)].map(([, name]) => name);
  expect(inputs).toContain("repoRef");
  expect(outputs).toContain("activeRevisionId");
  for (const name of [...inputs, ...outputs]) expect(reference).toMatch(new RegExp(`\\b${name}\\b`));
});
