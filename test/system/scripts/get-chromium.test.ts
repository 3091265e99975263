import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findChromium } from "../../../scripts/get-chromium.ts";

async function folderWith(...programs: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-chromium-"));
  for (const name of programs) {
    await writeFile(join(folder, name), "#!/bin/sh\n");
    await chmod(join(folder, name), 0o755);
  }
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

test("the browser that CHROME_PATH names comes before the one on PATH", async () => {
  await using machine = await folderWith("chromium", "chosen");
  const chosen = join(machine.folder, "chosen");
  expect(findChromium({ PATH: machine.folder })).toEqual({ path: join(machine.folder, "chromium") });
  expect(findChromium({ PATH: machine.folder, CHROME_PATH: chosen })).toEqual({ path: chosen });
});

test("a CHROME_PATH that doesn't exist is reported instead of ignored", async () => {
  await using machine = await folderWith("chromium");
  const found = findChromium({ PATH: machine.folder, CHROME_PATH: join(machine.folder, "gone") });
  expect(found).toEqual({ reason: expect.stringContaining("CHROME_PATH") });
});

test("GRAPHDEPLOY_CHROMIUM=skip finds no browser even if there is one", async () => {
  await using machine = await folderWith("chromium");
  expect(findChromium({ PATH: machine.folder, GRAPHDEPLOY_CHROMIUM: "skip" })).toHaveProperty("reason");
});
