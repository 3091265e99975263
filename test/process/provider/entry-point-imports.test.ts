import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkout } from "../../kit/pulumi/command-line.ts";

// The bundler had put its helpers into the package's entry point, so every chunk imported the entry point that imports
// those chunks. A CommonJS program got a half-loaded chunk, and the mock server needed Pulumi.

test("no part of the built package loads an entry point", async () => {
  const folder = join(checkout, "build");
  const entryPoints = ["index", "core", "runtime", "mock-server", "cli"];
  const parts = (await readdir(folder)).filter((file) => /\.c?js$/.test(file));
  expect(parts).toContain("index.cjs");
  for (const part of parts) {
    const source = await readFile(join(folder, part), "utf8");
    const loaded = [...source.matchAll(/(?:require\(|from |import )"\.\/([^"]+)"/g)].map(([, file]) => file ?? "");
    expect(
      loaded.filter((file) => entryPoints.includes(file.replace(/\.c?js$/, ""))),
      part,
    ).toEqual([]);
  }
});
