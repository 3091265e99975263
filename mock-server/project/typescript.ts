import { readFileSync } from "node:fs";
import { transform } from "sucrase";

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
  const [, flavour] = typescriptFile.exec(path) ?? [];
  if (flavour === "c") return { source, format: "commonjs" };
  if (flavour === "m") return { source, format: "module" };
  // Compilers take a .ts file with import or export for a module, whatever package.json says, and so do projects.
  const isModule = /^\s*(?:import|export)\b/m.test(source);
  const isCommonJs = /\bmodule\.exports\b|\bexports\.\w|\brequire\s*\(/.test(source);
  return { source, format: isModule || !isCommonJs ? "module" : "commonjs" };
}
