import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packPackage } from "../../../scripts/pack-package.ts";
import { checkout } from "../../../scripts/run-command.ts";

const run = promisify(execFile);

let folder: string;
let tarball: string;
let unpacked: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "graphdeploy-packed-"));
  tarball = await packPackage(folder);
  await run("tar", ["-xzf", tarball, "-C", folder]);
  unpacked = join(folder, "package");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

// Uses npm itself, which is configured for this machine's registry.
const isRegistryReachable = await run("npm", ["view", "undici", "version"], { timeout: 30_000 }).then(
  () => true,
  () => false,
);
const suffix = isRegistryReachable ? "" : " (skipped: the npm registry can't be reached)";

test("the packed manifest has the project's address and the required Node.js", async () => {
  const manifest = JSON.parse(await readFile(join(unpacked, "package.json"), "utf8"));
  expect(manifest).toMatchObject({
    repository: { type: "git", url: expect.stringMatching(/^git\+https:\/\/github\.com\/\S+\.git$/) },
    engines: { node: ">=22.19" },
  });
});

test("the licence of each package that is bundled, or ships beside the bundles, is in the packed package", async () => {
  const licenses = await readFile(join(unpacked, "build", "THIRD-PARTY-LICENSES.txt"), "utf8");
  // The bundler marks the start of each module.
  const bundles = await Promise.all(
    globSync("build/*.{js,cjs}", { cwd: unpacked }).map((file) => readFile(join(unpacked, file), "utf8")),
  );
  const modules = bundles.flatMap((bundle) => bundle.match(/^\/\/#region .*node_modules\/(@[^/]+\/)?[^/]+/gm) ?? []);
  const bundled = new Set(modules.map((module) => module.replace(/^.*node_modules\//, "")));
  expect([...bundled]).toEqual(expect.arrayContaining(["commander", "find-my-way", "sucrase", "tar-stream", "yaml"]));
  const named = [...licenses.matchAll(/^=+\n(\S+) \S+ \(\S+\)\n=+$/gm)].map(([, name]) => name);
  expect(named).toEqual(expect.arrayContaining([...bundled, "swagger-ui-dist"]));
  expect(
    licenses.match(/Permission is hereby granted|Apache License|Permission to use, copy/g)?.length,
  ).toBeGreaterThan(10);
});

test("the packed command checks a declarative file, as YAML and as JSON", async () => {
  for (const name of ["graphdeploy.yaml", "graphdeploy.json"]) {
    await writeFile(join(folder, name), '{ "version": 1, "deployments": {} }');
    const { stdout } = await run(process.execPath, [join(unpacked, "build", "cli.js"), "validate", name], {
      cwd: folder,
    });
    expect(stdout).toBe(`${name}: 0 deployments\n`);
  }
});

test("every link between pages of the packed package leads to a file that is in it", () => {
  const pages = globSync("**/*.md", { cwd: unpacked });
  expect(pages).toEqual(expect.arrayContaining(["README.md", "docs/guides/pulumi.md", "docs/guides/action.md"]));
  return Promise.all(
    pages.map(async (page) => {
      const text = await readFile(join(unpacked, page), "utf8");
      const targets = [...text.matchAll(/\]\(([^)#\s]+)(#[^)]*)?\)/g)].map(([, target = ""]) => target);
      const missing = targets
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => !existsSync(join(unpacked, dirname(page), target)));
      expect(missing, page).toEqual([]);
    }),
  );
});

test.each(["pulumi-quickstart", "pulumi-from-file", "vitest-mock-server"])(
  "the example %s installs the tarball of this version",
  async (name) => {
    const manifest = JSON.parse(await readFile(join(checkout, "examples", name, "package.json"), "utf8"));
    const { graphdeploy } = { ...manifest.dependencies, ...manifest.devDependencies };
    expect(graphdeploy).toBe(`file:../../${basename(tarball)}`);
  },
);

test.skipIf(!isRegistryReachable)(`the Pulumi quick start can be installed and type-checked${suffix}`, async () => {
  const example = join(folder, "checkout", "examples", "pulumi-quickstart");
  await mkdir(example, { recursive: true });
  await cp(join(checkout, "examples", "pulumi-quickstart"), example, { recursive: true });
  await cp(tarball, join(folder, "checkout", basename(tarball)));
  await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: example });
  await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", ".", "--noEmit"], { cwd: example });
  const { stdout } = await run(process.execPath, ["-p", "require('graphdeploy').Deployment.name"], { cwd: example });
  expect(stdout.trim()).toBe("Deployment");
});
