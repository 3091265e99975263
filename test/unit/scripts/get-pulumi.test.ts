import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findPulumi, pulumiVersion } from "../../../scripts/get-pulumi.mjs";

async function machine() {
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-machine-"));
  const cached = join(folder, "cache", "graphdeploy", "pulumi", pulumiVersion, "pulumi");
  const installed = join(folder, "bin", "pulumi");
  return {
    cached,
    installed,
    environment: { PATH: join(folder, "bin"), XDG_CACHE_HOME: join(folder, "cache") },
    async put(file: string, version: string) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `#!/bin/sh\necho ${version}\n`);
      await chmod(file, 0o755);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

test("without a Pulumi CLI on the machine, none is found", async () => {
  await using empty = await machine();
  expect(findPulumi(empty.environment)).toBeUndefined();
});

test("a recent CLI on PATH comes before the one in the cache", async () => {
  await using both = await machine();
  await both.put(both.installed, "v3.200.0");
  await both.put(both.cached, "v3.274.1");
  expect(findPulumi(both.environment)).toBe(both.installed);
});

test("a CLI on PATH that is too old is ignored in favour of the one in the cache", async () => {
  await using both = await machine();
  await both.put(both.installed, "v3.199.0");
  await both.put(both.cached, "v3.274.1");
  expect(findPulumi(both.environment)).toBe(both.cached);
});

test("GRAPHDEPLOY_PULUMI=skip finds no CLI even if there is one", async () => {
  await using both = await machine();
  await both.put(both.installed, "v3.274.1");
  expect(findPulumi({ ...both.environment, GRAPHDEPLOY_PULUMI: "skip" })).toBeUndefined();
});
