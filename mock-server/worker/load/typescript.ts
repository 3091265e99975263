import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { pathToFileURL } from "node:url";
import { compileFunction } from "node:vm";
import { transform } from "sucrase";
import { withCommonJsInterop } from "./commonjs-interop.ts";
import { withDecorators } from "./decorators.ts";
import { firstDecorator } from "./syntax.ts";

/** A module's source in the form that Node.js runs. */
export interface RunnableSource {
  source: string;
  format: "module" | "commonjs";
}

const typescriptFile = /\.([cm]?)tsx?$/;

export function isTypeScript(path: string): boolean {
  return typescriptFile.test(path) && !/\.d\.[cm]?ts$/.test(path);
}

/**
 * Compiles a TypeScript file to JavaScript with the same lines. Doesn't check types, and drops imports that only types
 * need, as TypeScript does.
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
  // Even where package.json says "commonjs": compilers decide by the imports and exports of a .ts file.
  if (compilesAsCommonJs(source)) return { source, format: "commonjs" };
  return { source: withCommonJsInterop(source), format: "module" };
}

function isInModulePackage(path: string): boolean {
  const file = findPackageJSON(pathToFileURL(path));
  // Without a package.json, Node.js 24 returns the module's own path.
  return file?.endsWith("package.json") === true && JSON.parse(readFileSync(file, "utf8")).type === "module";
}

/**
 * Whether a source compiles as CommonJS: module syntax such as `export` or top-level `await` doesn't. Node.js decides
 * in the same way.
 */
function compilesAsCommonJs(source: string): boolean {
  try {
    compileFunction(source, ["exports", "require", "module", "__filename", "__dirname"]);
    return true;
  } catch {
    return false;
  }
}
