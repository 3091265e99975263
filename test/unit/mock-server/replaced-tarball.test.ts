import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { extractTarball } from "../../../mock-server/builds/extract-tarball.ts";
import { tarball } from "../../kit/mock-server/tarball.ts";

const unpacked = () => readdirSync(tmpdir()).filter((name) => name.startsWith("graphdeploy-upload-"));

test("a tarball that replaces a validated one is validated again before it is unpacked", async () => {
  const before = new Set(unpacked());
  const outside = join(tmpdir(), `escaped-${process.pid}`);
  const file = { path: "graph.json", content: "{}" };
  const refusals: [Parameters<typeof tarball>[0], RegExp][] = [
    [[file, { path: `../escaped-${process.pid}`, content: "out" }], /leads out/],
    [[file, { path: outside, content: "out" }], /leads out/],
    [[file, { path: "way", type: "2" }], /is a link/],
    [[file, { path: "device", type: "3" }], /neither a file nor a folder/],
    [
      [
        { path: "whole", content: "abc" },
        { path: "short", content: "abc", size: 100_000 },
      ],
      /ends in the middle/,
    ],
  ];
  for (const [entries, message] of refusals) await expect(extractTarball(tarball(entries))).rejects.toThrow(message);
  expect(existsSync(outside)).toBe(false);
  expect(unpacked().filter((name) => !before.has(name))).toEqual([]);
});
