import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { getTsconfig } from "get-tsconfig";

type Compiler = typeof import("typescript");

/**
 * A TypeScript file with decorators as the project's own compiler makes it, which can be relied on where they are of the kind that only compilers know.
 * @throws {SyntaxError} with the file and the line for decorators that aren't supported, or where there is no compiler.
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
