import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const hooks = new URL("../../mock-server/project/module-hooks.ts", import.meta.url).href;

/** What a program that imports the module of a folder prints, or the error that Node.js ends it with. */
async function run(folder: string, isHooked: boolean): Promise<string> {
  const program = `
    ${isHooked ? `(await import(${JSON.stringify(hooks)})).registerModuleHooks();` : ""}
    try {
      console.log(JSON.stringify(await (await import(${JSON.stringify(join(folder, "main.mjs"))})).answer));
    } catch (error) {
      console.log(error.code + ": " + error.message);
    }`;
  const args = ["--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  return stdout.trim();
}

interface Project extends AsyncDisposable {
  folder: string;
  /** What importing the project comes to, which must be the same with and without the hooks. */
  answer(): Promise<unknown>;
  write(files: Record<string, string | object>): Promise<void>;
}

/** A project of these files; objects are written as JSON. */
async function projectOf(files: Record<string, string | object>): Promise<Project> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "packages-")));
  const write = async (more: Record<string, string | object>) => {
    for (const [path, content] of Object.entries(more)) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
    }
  };
  await write({ "package.json": { name: "project", type: "module" }, ...files });
  return {
    folder,
    write,
    async answer() {
      const [plain, hooked] = await Promise.all([run(folder, false), run(folder, true)]);
      expect(hooked).toBe(plain);
      return plain.startsWith("ERR_") || plain.startsWith("undefined") ? plain : JSON.parse(plain);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

const main = (names: string, from: string) => `import ${names} from "${from}"; export const answer = value;`;

test("packages are found by exports with conditions, patterns, a map of imports and their own name", async () => {
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
  expect(await project.answer()).toEqual(["own", "modules/a/dist/inner.js", "modules/a/dist/inner.js", "for node"]);
});

test("of two versions of a package each importer gets the one nearest to it", async () => {
  const version = (number: number) => ({
    "package.json": { name: "dep", version: `${number}.0.0`, type: "module", main: "./main.js" },
    "main.js": `export const version = ${number};`,
  });
  const at = (folder: string, files: Record<string, string | object>) =>
    Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));
  await using project = await projectOf({
    "main.mjs": `import a from "a"; import b from "b"; export const answer = { a, b };`,
    ...at("node_modules/dep", version(1)),
    ...at("node_modules/a/node_modules/dep", version(2)),
    ...at("node_modules/a/lib/node_modules/dep", version(3)),
    "node_modules/a/package.json": { name: "a", type: "module", exports: "./index.js" },
    "node_modules/a/index.js": `
      import { version } from "dep"; import inner from "./lib/inner.js"; import beside from "./beside/beside.js";
      export default { version, inner, beside };`,
    "node_modules/a/lib/inner.js": 'import { version } from "dep"; export default version;',
    "node_modules/a/beside/beside.js": 'import { version } from "dep"; export default version;',
    "node_modules/b/package.json": { name: "b", type: "module", exports: "./index.js" },
    "node_modules/b/index.js": 'import { version } from "dep"; export default { version };',
  });
  expect(await project.answer()).toEqual({ a: { version: 2, inner: 3, beside: 2 }, b: { version: 1 } });
});

test("a linked package is the one that it links to, loaded once", async () => {
  await using project = await projectOf({
    "main.mjs": `
      import { loaded } from "a"; import { again } from "b"; import { same } from "b/link.js";
      export const answer = [loaded === again, loaded === same, loaded.url.slice(-26)];`,
    "node_modules/.store/a@1/node_modules/a/package.json": { name: "a", type: "module", main: "index.js" },
    "node_modules/.store/a@1/node_modules/a/index.js": 'import "dep"; export const loaded = { url: import.meta.url };',
    "node_modules/.store/a@1/node_modules/dep/package.json": { name: "dep", type: "module" },
    "node_modules/.store/a@1/node_modules/dep/index.js": "export {};",
    "node_modules/b/package.json": { name: "b", type: "module" },
    "node_modules/b/index.js": 'export { loaded as again } from "./linked/index.js";',
    "node_modules/b/link.js": 'export { loaded as same } from "./file.js";',
  });
  const { folder } = project;
  await symlink(".store/a@1/node_modules/a", join(folder, "node_modules/a"));
  await symlink("../.store/a@1/node_modules/a", join(folder, "node_modules/b/linked"));
  await symlink("linked/index.js", join(folder, "node_modules/b/file.js"));
  expect(await project.answer()).toEqual([true, true, "a@1/node_modules/a/index.js".slice(-26)]);
});

test("CommonJS packages, JSON, and files whose kind their name or a nearer package.json says load as Node.js loads them", async () => {
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
  expect(await project.answer()).toEqual([
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

test("a module is one module for each query, and names with spaces and signs are found", async () => {
  await using project = await projectOf({
    "main.mjs": main("value", "a"),
    "node_modules/a/package.json": { name: "a", type: "module", exports: "./in here/main.js" },
    "node_modules/a/in here/main.js": `
      import a from "./it.js"; import b from "./it.js?1"; import c from "./it.js?2"; import d from "./with%20space.js"; import e from "../up.js";
      export default [a.n, b.n, c.n, d, e, import.meta.resolve("./not-there.js").endsWith("/in%20here/not-there.js")];`,
    "node_modules/a/in here/it.js": 'import { count } from "./count.js"; export default { n: count() };',
    "node_modules/a/in here/count.js": "let n = 0; export const count = () => ++n;",
    "node_modules/a/in here/with space.js": 'export default "spaced";',
    "node_modules/a/up.js": 'export default "up";',
  });
  expect(await project.answer()).toEqual([1, 2, 3, "spaced", "up", true]);
});

test("what can't be found is told in Node.js's own words", async () => {
  const using = (imported: string) => ({ "node_modules/a/index.js": `import "${imported}"; export default 1;` });
  await using project = await projectOf({
    "main.mjs": main("value", "a"),
    "node_modules/a/package.json": {
      name: "a",
      type: "module",
      exports: "./index.js",
      imports: { "#gone": "./gone.js" },
    },
    "node_modules/a/part/index.js": "export {};",
    "node_modules/b/package.json": { name: "b", exports: { "./open": "./open.js" } },
    "node_modules/c/package.json": '{ "name": "c", "type": ',
    "node_modules/c/x.js": "export {};",
  });
  const expected = {
    "./gone.js": "ERR_MODULE_NOT_FOUND",
    "./part": "ERR_UNSUPPORTED_DIR_IMPORT",
    "not-installed": "ERR_MODULE_NOT_FOUND",
    "b/closed": "ERR_PACKAGE_PATH_NOT_EXPORTED",
    "#gone": "ERR_MODULE_NOT_FOUND",
    "#unknown": "ERR_PACKAGE_IMPORT_NOT_DEFINED",
    "../c/x.js": "ERR_INVALID_PACKAGE_CONFIG",
    "./%2f.js": "ERR_INVALID_MODULE_SPECIFIER",
    "node:nothing": "ERR_UNKNOWN_BUILTIN_MODULE",
  };
  for (const [imported, code] of Object.entries(expected)) {
    await project.write(using(imported));
    expect(await project.answer(), imported).toMatch(new RegExp(`^${code}: `));
  }
  await project.write({
    "node_modules/a/index.js": 'import { missing } from "./part/index.js"; export default missing;',
  });
  expect(await project.answer()).toMatch(/does not provide an export named 'missing'/);
});

test("a package that is installed after it was missed is found", async () => {
  await using project = await projectOf({
    "main.mjs": main("value", "a"),
    "node_modules/a/package.json": { name: "a", type: "module", exports: "./index.js" },
    "node_modules/a/index.js": `
      import { mkdirSync, writeFileSync } from "node:fs";
      const at = (path) => new URL(path, import.meta.url);
      const missed = await Promise.all(["late", "./late.js"].map((name) => import(name).catch((error) => error.code)));
      mkdirSync(at("../late"));
      writeFileSync(at("../late/index.js"), 'export default "installed";');
      writeFileSync(at("late.js"), 'export default "written";');
      export default [...missed, (await import("late")).default, (await import("./late.js")).default];`,
  });
  const plain = await run(project.folder, false);
  expect(JSON.parse(plain)).toEqual(["ERR_MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND", "installed", "written"]);
  await rm(join(project.folder, "node_modules/late"), { recursive: true });
  await rm(join(project.folder, "node_modules/a/late.js"));
  expect(await run(project.folder, true)).toBe(plain);
});
