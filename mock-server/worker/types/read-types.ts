import { statSync } from "node:fs";
import { dirname } from "node:path";
import type ts from "typescript";
import { type Compiler, firstError, loadCompiler, programOf } from "./compiler.ts";
import type { FoundTypes, GraphTypes, TypedProject } from "./found-types.ts";
import { addedNodes } from "./graph-nodes.ts";
import { compiledGraph, exportedGraph, typesOfGraph } from "./graph-of-type.ts";

/**
 * Reads the types that a project's graphs are declared with. Errors in them leave types out.
 * @throws {Error} when the project has no usable TypeScript.
 */
export function readTypes({ folder, graphs }: TypedProject): FoundTypes {
  const compiler = loadCompiler(folder);
  const byConfig = Map.groupBy(graphs, ({ module }) =>
    compiler.findConfigFile(dirname(module), compiler.sys.fileExists),
  );
  const found: FoundTypes = { graphs: {}, nodes: {}, files: [], warnings: [] };
  for (const [configFile, configured] of byConfig) {
    const program = programOf(compiler, [...new Set(configured.map(({ module }) => module))], configFile);
    for (const graph of configured) readGraph(compiler, program, folder, graph, found);
    const sources = program.getSourceFiles().filter((source) => isOwn(program, source));
    for (const source of sources) readNodes(compiler, program, source, found);
    const paths = [...sources.map(({ fileName }) => fileName), ...(configFile === undefined ? [] : [configFile])];
    found.files.push(...paths.map((path): [string, number] => [path, statSync(path).mtimeMs]));
  }
  return found;
}

function readGraph(
  compiler: Compiler,
  program: ts.Program,
  folder: string,
  { id, module, exportName }: TypedProject["graphs"][number],
  found: FoundTypes,
): void {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(module);
  const exported = source && exportOf(compiler, checker, source, exportName);
  const graph = exported && exportedGraph(checker.getTypeOfSymbol(exported), checker);
  const types = graph && typesOfGraph(compiler, program, graph);
  if (types) found.graphs[id] = types;
  if (!source || (types?.state && isComplete(types.state))) return;
  const error = firstError(compiler, program, source, folder);
  if (error !== undefined) found.warnings.push(`The schemas of graph "${id}" lack types: ${error}`);
}

function exportOf(
  compiler: Compiler,
  checker: ts.TypeChecker,
  source: ts.SourceFile,
  name: string,
): ts.Symbol | undefined {
  const module = checker.getSymbolAtLocation(source);
  const exported = module && checker.getExportsOfModule(module).find((one) => one.name === name);
  const isAlias = exported && exported.flags & compiler.SymbolFlags.Alias;
  return isAlias ? checker.getAliasedSymbol(exported) : exported;
}

/** Whether a state's type has properties, and says something of each. */
function isComplete({ properties = {} }: GraphTypes["state"] & { properties?: object }): boolean {
  const values = Object.values(properties);
  return values.length > 0 && values.every((value) => Object.keys(value as object).length > 0);
}

function readNodes(compiler: Compiler, program: ts.Program, source: ts.SourceFile, found: FoundTypes): void {
  const checker = program.getTypeChecker();
  for (const { name, candidates } of addedNodes(compiler, source)) {
    for (const candidate of candidates) {
      const graph = compiledGraph(checker.getTypeAtLocation(candidate), checker);
      if (!graph) continue;
      found.nodes[name] ??= [];
      found.nodes[name].push(typesOfGraph(compiler, program, graph));
    }
  }
}

function isOwn(program: ts.Program, source: ts.SourceFile): boolean {
  return !source.fileName.includes("/node_modules/") && !program.isSourceFileDefaultLibrary(source);
}
