// Installs the packed package into a separate project and uses every entry point there: with the oldest supported
// Node.js, by import and by require, and type-checked as CommonJS programs with the old module resolution and as ES
// modules.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packPackage } from "./pack-package.ts";
import { checkout, runCommand } from "./run-command.ts";

/** The minimum in `engines` of package.json. */
const oldestNode = "22.19.0";

const require = createRequire(import.meta.url);

const entryPoints = ["graphdeploy", "graphdeploy/core", "graphdeploy/provider/runtime", "graphdeploy/mock-server"];

// Works in both module systems: the installed package's mock server responds, and serves the files of its reference
// page.
const exercise = `
const missing = Object.entries(entries).filter(([, entry]) => Object.keys(entry).length === 0);
if (missing.length > 0) throw new Error("nothing is exported by " + missing.map(([name]) => name).join(", "));
const use = async () => {
  const mock = await entries["graphdeploy/mock-server"].startMockServer({ port: 0 });
  try {
    for (const path of ["/openapi.json", "/docs", "/docs/swagger-ui.css", "/docs/favicon-32x32.png"]) {
      const response = await fetch(new URL(path, mock.url));
      if (!response.ok) throw new Error(path + " responded with " + response.status);
      await response.arrayBuffer();
    }
  } finally {
    await mock[Symbol.asyncDispose]();
  }
};
use().catch((error) => { console.error(error); process.exitCode = 1; });
`;

const imports = entryPoints.map((name, index) => `import * as entry${index} from "${name}";`).join("\n");
const table = entryPoints.map((name, index) => `"${name}": entry${index}`).join(", ");
const files: Record<string, string> = {
  "use.mjs": `${imports}\nconst entries = { ${table} };\n${exercise}`,
  "use.cjs": `const entries = { ${entryPoints.map((name) => `"${name}": require("${name}")`).join(", ")} };\n${exercise}`,
  "types.cts": `${imports}\nexport const entries = [${entryPoints.map((_, index) => `entry${index}`).join(", ")}] as const;\nexport const start: typeof entry3.startMockServer = entry3.startMockServer;\n`,
};
files["types.mts"] = files["types.cts"] ?? "";
files["old/index.ts"] = files["types.cts"] ?? "";
const compilerOptions = {
  strict: true,
  noEmit: true,
  target: "es2022",
  lib: ["es2024", "esnext.disposable"],
  types: ["node"],
};
files["tsconfig.json"] = JSON.stringify({
  compilerOptions: { ...compilerOptions, module: "nodenext", moduleResolution: "nodenext", skipLibCheck: true },
  files: ["types.mts", "types.cts"],
});
files["old/tsconfig.json"] = JSON.stringify({
  compilerOptions: {
    ...compilerOptions,
    module: "commonjs",
    moduleResolution: "node",
    ignoreDeprecations: "6.0",
    esModuleInterop: true,
    skipLibCheck: true,
  },
  files: ["index.ts"],
});

async function step(name: string, command: string, args: readonly string[], cwd: string): Promise<void> {
  const status = await runCommand(command, args, { cwd });
  if (status !== 0) throw new Error(`${name} failed with ${status}`);
  process.stdout.write(`ok: ${name}\n`);
}

const folder = await mkdtemp(join(tmpdir(), "graphdeploy-smoke-"));
try {
  const tarball = process.argv[2] ?? (await packPackage(folder));
  const manifest = { name: "smoke", private: true, allowScripts: { node: true } };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await mkdir(join(folder, "old"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  // Without peers: @pulumi/pulumi is linked from this checkout, which saves a hundred packages.
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--legacy-peer-deps"];
  await step("install", "npm", ["install", ...quiet, tarball, `node@${oldestNode}`], folder);
  await mkdir(join(folder, "node_modules", "@pulumi"));
  await symlink(dirname(require.resolve("@pulumi/pulumi/package.json")), join(folder, "node_modules/@pulumi/pulumi"));
  await mkdir(join(folder, "node_modules", "@types"), { recursive: true });
  await symlink(dirname(require.resolve("@types/node/package.json")), join(folder, "node_modules/@types/node"));

  const node = join(folder, "node_modules/node/bin/node");
  await step(`import under Node.js ${oldestNode}`, node, ["use.mjs"], folder);
  await step(`require under Node.js ${oldestNode}`, node, ["use.cjs"], folder);
  const tsc = join(checkout, "node_modules/typescript/bin/tsc");
  await step("types for nodenext", process.execPath, [tsc, "-p", "."], folder);
  await step("types for CommonJS with moduleResolution node", process.execPath, [tsc, "-p", "old"], folder);
  const { bin } = JSON.parse(await readFile(join(folder, "node_modules/graphdeploy/package.json"), "utf8")) as {
    bin?: Record<string, string>;
  };
  for (const name of Object.keys(bin ?? {})) {
    await step(`the command ${name}`, node, [join(folder, "node_modules/.bin", name), "--help"], folder);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
