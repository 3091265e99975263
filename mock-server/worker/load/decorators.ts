import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { getTsconfig } from "get-tsconfig";

type Compiler = typeof import("typescript");

/**
 * Compiles a TypeScript file that has decorators with the project's own compiler, which is needed for experimental
 * decorators.
 * @throws {SyntaxError} with the file and the line for unsupported decorators, or where the compiler isn't installed.
 */
export function withDecorators(path: string, line: number): string {
  const options = getTsconfig(dirname(path))?.config.compilerOptions;
  if (!options?.experimentalDecorators) {
    throw new SyntaxError(
      `${path}:${line}: decorators aren't supported, unless tsconfig.json sets "experimentalDecorators" and the package typescript is installed.`,
    );
  }
  let compiler: Compiler;
  try {
    compiler = createRequire(path)("typescript");
  } catch (cause) {
    throw new SyntaxError(`${path}:${line}: decorators need the package typescript, which isn't installed.`, { cause });
  }
  const { experimentalDecorators, emitDecoratorMetadata = false, useDefineForClassFields = false } = options;
  return compiler.transpileModule(readFileSync(path, "utf8"), {
    fileName: path,
    compilerOptions: {
      experimentalDecorators,
      emitDecoratorMetadata,
      useDefineForClassFields,
      target: compiler.ScriptTarget.ES2022,
      module: compiler.ModuleKind.Preserve,
      jsx: compiler.JsxEmit.ReactJSX,
    },
  }).outputText;
}
