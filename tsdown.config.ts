import { cpSync, existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { defineConfig, type UserConfig } from "tsdown";
import { ThirdPartyLicenses } from "./scripts/third-party-licenses.ts";

const require = createRequire(import.meta.url);

/** The package's entry points: where `exports` of package.json points, and their sources. */
const entries = {
  index: "provider/index.ts",
  core: "core/index.ts",
  runtime: "provider/runtime.ts",
  "mock-server": "mock-server/index.ts",
};

/** What the entry points load before all else; built beside them, a file of its own. */
const guard = { "refuse-old-node": "core/refuse-old-node.ts" };

/** The first line of each entry point. Of a module's imports the first is evaluated first. */
function loadsGuard(format: "esm" | "cjs") {
  const line = format === "esm" ? 'import "./refuse-old-node.js";' : 'require("./refuse-old-node.cjs");';
  return ({ isEntry, name }: { isEntry: boolean; name: string }) => (isEntry && name in entries ? line : "");
}

/** What is run rather than imported, and ESM only: the command, and the threads with projects' graphs and with their compilers. */
const programs = {
  cli: "cli/main.ts",
  worker: "mock-server/worker/inside/worker-main.ts",
  types: "mock-server/worker/types/types-main.ts",
};

function present(sources: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(sources).filter(([, file]) => existsSync(file)));
}

/** The files of the API reference page, which the mock server reads from its own folder once it is built. */
const referencePageFiles = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"];
// biome-ignore lint/suspicious/noTemplateCurlyInString: source text to be found
const referencePageSource = "import.meta.resolve(`swagger-ui-dist/${name}`)";

// From a checkout the page's files come from node_modules. The package doesn't depend on what only the mock server needs, so there the
// files lie beside the code.
const bundledReferencePage = {
  name: "bundled-reference-page",
  transform(code: string, id: string) {
    if (!id.endsWith("/reference-page.ts")) return undefined;
    if (!code.includes(referencePageSource)) throw new Error(`${id} no longer has ${referencePageSource}`);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text to be put in its place
    return code.replace(referencePageSource, "new URL(`./swagger-ui/${name}`, import.meta.url).href");
  },
};

// The MCP library imports a validator of JSON Schema for what clients send when a server asks them, which none here does. It is larger than the
// rest of the library.
const withoutSchemaValidator = {
  name: "without-schema-validator",
  load(id: string) {
    if (!id.endsWith("/@modelcontextprotocol/sdk/dist/esm/validation/ajv-provider.js")) return undefined;
    return "export class AjvJsonSchemaValidator {}";
  },
};

const referencePagePackage = dirname(require.resolve("swagger-ui-dist/package.json"));

function copyReferencePageFiles(): void {
  mkdirSync("build/swagger-ui", { recursive: true });
  for (const file of [...referencePageFiles, "swagger-ui-bundle.js.LICENSE.txt", "LICENSE", "NOTICE"])
    cpSync(join(referencePagePackage, file), join("build/swagger-ui", file));
}

const licenses = new ThirdPartyLicenses([referencePagePackage]);
// Whichever of the builds ends last has those of all.
const writeLicenses = () => licenses.write("build/THIRD-PARTY-LICENSES.txt");

const shared: UserConfig = {
  outDir: "build",
  platform: "node",
  // The oldest Node.js of `engines` has no explicit resource management: `await using` is written out.
  target: "es2022",
  fixedExtension: false,
  // `dependencies` and peers stay imports. The rest is what only the mock server needs, and is bundled on purpose.
  deps: { neverBundle: [/^@pulumi\/pulumi/], onlyBundle: false },
  plugins: [bundledReferencePage, withoutSchemaValidator, licenses.plugin],
  // Some packages have a UMD module as `main`, whose calls of `require` the bundler can't follow.
  inputOptions: { resolve: { mainFields: ["module", "main"] } },
  checks: { pluginTimings: false },
};

const programsBuild: UserConfig = {
  ...shared,
  entry: present(programs),
  format: "esm",
  dts: false,
  clean: false,
  hooks: { "build:done": writeLicenses },
  // Of the schema library, a program needs a fraction: bundled, the rest stays out.
  deps: { ...shared.deps, alwaysBundle: ["zod"] },
};

export default defineConfig([
  {
    ...shared,
    entry: present({ ...entries, ...guard }),
    format: ["esm", "cjs"],
    dts: true,
    // `import.meta.url` in CommonJS.
    shims: true,
    // The bundler's helpers in a file of their own: it would put them into one of the entry points, which every other file then loads, and a file
    // that this entry point itself loads would find it half loaded.
    outputOptions: (options, format) => ({
      ...options,
      codeSplitting: { groups: [{ name: "helpers", test: /rolldown[:/\\]runtime/ }] },
      banner: loadsGuard(format === "cjs" ? "cjs" : "esm"),
    }),
    clean: true,
    hooks: {
      "build:done": async () => {
        copyReferencePageFiles();
        await writeLicenses();
      },
    },
  },
  programsBuild,
]);
