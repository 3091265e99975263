import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { pathToFileURL } from "node:url";
import { compileFunction } from "node:vm";
import { transform } from "sucrase";
import { withCommonJsInterop } from "./commonjs-interop.ts";
import { withDecorators } from "./decorators.ts";
import { firstDecorator } from "./syntax.ts";

/** A module's source as Node.js runs it. */
export interface RunnableSource {
  source: string;
  format: "module" | "commonjs";
}

const typescriptFile = /\.([cm]?)tsx?$/;

export function isTypeScript(path: string): boolean {
  return typescriptFile.test(path) && !/\.d\.[cm]?ts$/.test(path);
}

/**
 * Turns a TypeScript file into JavaScript of the same lines; types aren't checked, and imports that only types need are left out, as TypeScript does.
 * @throws {SyntaxError} with the file and the line.
 */
export function runnableSource(path: string): RunnableSource {
  let source: string;
  try {
    ({ code: source } = transform(readFileSync(path, "utf8"), {
      transforms: path.endsWith("x") ? ["typescript", "jsx"] : ["typescript"],
      jsxRuntime: "automatic",
      production: true,
      disableESTransforms: true,
      preserveDynamicImport: true,
      filePath: path,
    }));
  } catch (error) {
    const { message, loc } = error as Error & { loc?: { line: number } };
    const reason = message.replace(/^Error transforming [^:]*: /, "").replace(/ \(\d+:\d+\)$/, "");
    throw new SyntaxError(`${path}${loc ? `:${loc.line}` : ""}: ${reason}`, { cause: error });
  }
  const decorated = firstDecorator(source);
  if (decorated !== undefined) source = withDecorators(path, decorated);
  const [, flavour] = typescriptFile.exec(path) ?? [];
  if (flavour === "c") return { source, format: "commonjs" };
  if (flavour === "m") return { source, format: "module" };
  if (isInModulePackage(path)) return { source, format: "module" };
  // Where package.json says "commonjs", too: compilers take a .ts file for a module by its imports and exports, and so do projects.
  if (compilesAsCommonJs(source)) return { source, format: "commonjs" };
  return { source: withCommonJsInterop(source), format: "module" };
}

function isInModulePackage(path: string): boolean {
  const file = findPackageJSON(pathToFileURL(path));
  // Where there is none, Node.js 24 returns the module's own path.
  return file?.endsWith("package.json") === true && JSON.parse(readFileSync(file, "utf8")).type === "module";
}

/** Node.js tells the two apart in the same way: what needs a module, such as `export` or a top-level `await`, doesn't compile as anything else. */
function compilesAsCommonJs(source: string): boolean {
  try {
    compileFunction(source, ["exports", "require", "module", "__filename", "__dirname"]);
    return true;
  } catch {
    return false;
  }
}
