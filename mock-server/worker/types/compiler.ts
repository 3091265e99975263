import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import type typescript from "typescript";

/** The compiler's API as both TypeScript 5 and 6 have it. */
export type Compiler = typeof typescript;

/**
 * Loads the project's own TypeScript.
 * @throws {Error} whose message says what to install.
 */
export function loadCompiler(folder: string): Compiler {
  const require = createRequire(join(folder, "package.json"));
  try {
    require.resolve("typescript");
  } catch (cause) {
    const advice = "run npm install --save-dev typescript@6 there.";
    throw new Error(`typescript isn't installed in ${folder}: ${advice}`, { cause });
  }
  const compiler = require("typescript") as Partial<Compiler>;
  if (typeof compiler.createProgram !== "function") {
    const { version } = require("typescript/package.json") as { version: string };
    throw new Error(`typescript ${version} has no API that reads types: install typescript@6 in ${folder}.`);
  }
  return compiler as Compiler;
}

/** Reads sources with the settings of the nearest tsconfig.json, but strictly: otherwise types have no `null`. */
export function programOf(
  ts: Compiler,
  rootNames: readonly string[],
  configFile: string | undefined,
): typescript.Program {
  const defaults = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ESNext };
  const configured = configFile === undefined ? {} : configuredOptions(ts, configFile);
  const options = { ...defaults, ...configured, allowJs: true, strict: true, noEmit: true };
  return ts.createProgram({ rootNames, options });
}

function configuredOptions(ts: Compiler, file: string): typescript.CompilerOptions {
  const { config } = ts.readConfigFile(file, ts.sys.readFile);
  // The files that it includes aren't needed: finding them takes time in large projects.
  return ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, dirname(file)).options;
}

/** The first error that the compiler finds in a source file, with its place from the folder. */
export function firstError(
  ts: Compiler,
  program: typescript.Program,
  source: typescript.SourceFile,
  folder: string,
): string | undefined {
  const [error] = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  if (!error) return undefined;
  const line = source.getLineAndCharacterOfPosition(error.start ?? 0).line + 1;
  return `${relative(folder, source.fileName)}:${line}: ${ts.flattenDiagnosticMessageText(error.messageText, " ").replace(/\s+/g, " ")}`;
}
