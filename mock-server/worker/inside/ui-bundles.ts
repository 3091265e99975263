import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Esbuild from "esbuild";
import type { UiBundle } from "../../agent-server/served-project.ts";
import type { ProjectUi } from "../load/graph-config.ts";
import { importInTheNameOf } from "../load/module-hooks.ts";
import type { BundledUi } from "../protocol.ts";
import { installedPackage } from "./installed-package.ts";

/** Packages that the page of a client always provides. */
const alwaysShared = ["react", "react-dom", "@langchain/langgraph-sdk"];

/**
 * Bundles the components of a project with its own esbuild, each file on its own.
 * @throws {Error} when esbuild isn't installed.
 */
export async function bundleUi(folder: string, { files, shared }: ProjectUi): Promise<BundledUi> {
  const importer = pathToFileURL(join(folder, "package.json")).href;
  if (installedPackage("esbuild", importer) === undefined) {
    throw new Error(`ui needs esbuild, which isn't installed in ${folder}: run npm install --save-dev esbuild there.`);
  }
  const esbuild = await importInTheNameOf<typeof Esbuild>(importer, "esbuild");
  const plugins = [...(await stylePlugins(importer)), sharedPackages([...alwaysShared, ...shared])];
  const sources = new Set<string>();
  const bundle = async (name: string, file: string): Promise<UiBundle> => {
    try {
      const { outputFiles, metafile } = await esbuild.build({
        ...options,
        absWorkingDir: folder,
        globalName: `__LGUI_${name.replace(/[^a-zA-Z0-9]/g, "_")}`,
        plugins: [...plugins, entry(file)],
      });
      // Those of packages don't change, and those of plugins have a namespace in front.
      const inputs = Object.keys(metafile.inputs).filter((input) => !/^\w[\w-]+:|(^|\/)node_modules\//.test(input));
      for (const input of inputs) sources.add(resolve(folder, input));
      return {
        files: outputFiles.map(({ path, contents: content }) => ({ name: basename(path), content })),
        problem: null,
      };
    } catch (error) {
      return { files: [], problem: `The components of ${name} can't be bundled: ${(error as Error).message}` };
    }
  };
  const bundles: Record<string, UiBundle> = {};
  for (const [name, file] of Object.entries(files)) bundles[name] = await bundle(name, file);
  // Its process would stay as long as the worker. Older versions can't be stopped.
  await (esbuild as Partial<typeof Esbuild>).stop?.();
  return { bundles, sources: [...sources] };
}

const entryName = "components";
const options = {
  entryPoints: [{ in: entryName, out: "entrypoint" }],
  outdir: ".",
  write: false,
  metafile: true,
  bundle: true,
  format: "iife",
  platform: "browser",
  target: "es2020",
  jsx: "automatic",
  logLevel: "silent",
} as const satisfies Esbuild.BuildOptions;

/** A module around a file's components, whose function `render` the page calls to have one of them. */
function entry(file: string): Esbuild.Plugin {
  const contents = `
    import components from ${JSON.stringify(file)};
    export function render(name, shadowRootId) {
      const target = document.createElement("div");
      document.getElementById(shadowRootId).shadowRoot.appendChild(target);
      window[Symbol.for("LGUI_EXT_STORE")].respond(shadowRootId, components[name], target);
    }`;
  return {
    name: entryName,
    setup(build) {
      build.onResolve({ filter: /^components$/ }, ({ kind }) =>
        kind === "entry-point" ? { path: entryName, namespace: entryName } : undefined,
      );
      build.onLoad({ filter: /^/, namespace: entryName }, () => ({ contents, resolveDir: dirname(file) }));
    },
  };
}

/** Takes packages from the page, so that its components and those of the bundle are of the same React. */
function sharedPackages(names: readonly string[]): Esbuild.Plugin {
  const namespace = "page";
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path }) =>
        names.some((name) => path === name || path.startsWith(`${name}/`)) ? { path, namespace } : undefined,
      );
      build.onLoad({ filter: /^/, namespace }, ({ path }) => ({
        contents: `module.exports = globalThis[Symbol.for("LGUI_REQUIRE")](${JSON.stringify(path)});`,
      }));
    },
  };
}

/** The plugin for Tailwind that the development server has, if the project has it installed too. */
async function stylePlugins(importer: string): Promise<Esbuild.Plugin[]> {
  const name = "esbuild-plugin-tailwindcss";
  if (installedPackage(name, importer) === undefined) return [];
  const { default: tailwind } = await importInTheNameOf<{ default: () => Esbuild.Plugin }>(importer, name);
  return [tailwind()];
}
