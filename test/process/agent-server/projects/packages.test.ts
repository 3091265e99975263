import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const hooks = new URL("../../../../mock-server/worker/load/module-hooks.ts", import.meta.url).href;

/** The output of a program that imports the main module of a folder. */
async function run(folder: string, isHooked: boolean): Promise<string> {
  const program = `
    ${isHooked ? `(await import(${JSON.stringify(hooks)})).registerModuleHooks();` : ""}
    console.log(JSON.stringify(await (await import(${JSON.stringify(join(folder, "main.mjs"))})).answer));`;
  const args = ["--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  return stdout.trim();
}

interface Project extends AsyncDisposable {
  /** The result of importing the project, which must be the same with and without the hooks. */
  output(): Promise<unknown>;
}

/** A project with these files. Objects are written as JSON. */
async function projectOf(files: Record<string, string | object>): Promise<Project> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "packages-")));
  const project = { "package.json": { name: "project", type: "module" }, ...files };
  for (const [path, content] of Object.entries(project)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  }
  return {
    async output() {
      const [plain, hooked] = await Promise.all([run(folder, false), run(folder, true)]);
      expect(hooked).toBe(plain);
      return JSON.parse(plain);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

const main = (names: string, from: string) => `import ${names} from "${from}"; export const answer = value;`;

test("packages resolve through conditional exports, patterns, an imports map and their own name", async () => {
  await using project = await projectOf({
    "main.mjs": main("{ value }", "a"),
    "node_modules/a/package.json": {
      name: "a",
      type: "module",
      exports: {
        ".": { require: "./none.cjs", import: "./dist/index.js" },
        "./own": "./dist/own.js",
        "./deep/*": "./dist/deep/*.js",
      },
      imports: { "#inner": "./dist/inner.js", "#b/*": "b/features/*" },
    },
    "node_modules/a/dist/index.js": `
      import { own } from "a/own"; import { deep } from "a/deep/x/y"; import { inner } from "#inner"; import { one } from "#b/one";
      export const value = [own, deep, inner, one];`,
    "node_modules/a/dist/own.js": 'export const own = "own";',
    "node_modules/a/dist/deep/x/y.js": 'export { inner as deep } from "../../inner.js";',
    "node_modules/a/dist/inner.js": "export const inner = import.meta.url.slice(-23);",
    "node_modules/b/package.json": {
      name: "b",
      exports: { "./features/*": { node: "./node/*.mjs", default: "./web/*.mjs" } },
    },
    "node_modules/b/node/one.mjs": 'export const one = "for node";',
  });
  expect(await project.output()).toEqual(["own", "modules/a/dist/inner.js", "modules/a/dist/inner.js", "for node"]);
});

test("CommonJS packages, JSON, and files whose format depends on their extension or the nearest package.json load as in Node.js", async () => {
  await using project = await projectOf({
    "main.mjs": main("value", "a"),
    "node_modules/a/package.json": { name: "a", type: "module", exports: "./index.js" },
    "node_modules/a/index.js": `
      import cjs from "./kinds/one.cjs"; import mjs from "./kinds/two.mjs"; import near from "./kinds/near/three.js";
      import data from "./data.json" with { type: "json" }; import common from "common"; import untold from "untold"; import fs from "fs";
      import { createRequire } from "node:module";
      const required = createRequire(import.meta.url)("common");
      export default [cjs, mjs, near, data, common, untold, typeof fs.readFileSync, required === common];`,
    "node_modules/a/data.json": { is: "data" },
    "node_modules/a/kinds/one.cjs": 'module.exports = "cjs";',
    "node_modules/a/kinds/two.mjs": 'export default "mjs";',
    "node_modules/a/kinds/near/package.json": { type: "commonjs" },
    "node_modules/a/kinds/near/three.js": 'module.exports = typeof require + " near";',
    "node_modules/common/package.json": {
      name: "common",
      main: "./lib",
      exports: { "./extra": { require: "./extra.cjs", import: "./extra.mjs" }, ".": "./lib/index.js" },
    },
    "node_modules/common/lib/index.js":
      'module.exports = [require("./part"), require("./part.js"), require("../extra.cjs"), require("common/extra")];',
    "node_modules/common/lib/part.js": 'module.exports = "part";',
    "node_modules/common/extra.cjs": 'module.exports = "required";',
    "node_modules/common/extra.mjs": 'export default "imported";',
    "node_modules/untold/package.json": { name: "untold" },
    "node_modules/untold/index.js": 'import part from "./part.js"; export default part;',
    "node_modules/untold/part.js": 'export default "module by its syntax";',
  });
  const common = ["part", "part", "required", "required"];
  expect(await project.output()).toEqual([
    "cjs",
    "mjs",
    "function near",
    { is: "data" },
    common,
    "module by its syntax",
    "function",
    true,
  ]);
});
