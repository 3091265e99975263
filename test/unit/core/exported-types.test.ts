import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const checkout = dirname(dirname(dirname(import.meta.dirname)));
const entryPoints = ["core/index.ts", "provider/index.ts", "provider/runtime.ts"];

const { config } = ts.readConfigFile(join(checkout, "tsconfig.json"), ts.sys.readFile);
const { options: configured } = ts.parseJsonConfigFileContent(config, ts.sys, checkout);
const options: ts.CompilerOptions = {
  ...configured,
  checkJs: false,
  noEmit: false,
  declaration: true,
  emitDeclarationOnly: true,
};

const files = entryPoints.map((entryPoint) => join(checkout, entryPoint));

/**
 * A program of the declarations that TypeScript emits for the sources, under the sources' file names, so that inferred
 * types are explicit.
 */
function programOfDeclarations(): ts.Program {
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  const parsed = new Map<string, ts.SourceFile | undefined>();
  host.getSourceFile = (name, ...rest) => {
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, ...rest));
    return parsed.get(name);
  };
  ts.createProgram(files, options, host).emit(undefined, (_name, text, _tag, _error, [source] = []) => {
    if (source === undefined) return;
    const { fileName, impliedNodeFormat } = source;
    const languageVersion = ts.ScriptTarget.Latest;
    parsed.set(fileName, ts.createSourceFile(fileName, text, { languageVersion, impliedNodeFormat }));
  });
  return ts.createProgram(files, options, host);
}

/** The project's types in the signatures of an entry point's exports that the entry point doesn't export itself. */
function unexportedTypes(program: ts.Program, file: string): string[] {
  const checker = program.getTypeChecker();
  const resolved = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const source = program.getSourceFile(file);
  const entry = source && checker.getSymbolAtLocation(source);
  if (entry === undefined) throw new Error(`${file} exports nothing.`);
  const exported = new Set(checker.getExportsOfModule(entry).map(resolved));
  const missing = new Set<string>();
  const visit = (node: ts.Node): void => {
    const name = nameOfType(node);
    const symbol = name && checker.getSymbolAtLocation(name);
    const type = symbol && resolved(symbol);
    const [declaration] = type?.declarations ?? [];
    if (type !== undefined && declaration !== undefined && !ts.isTypeParameterDeclaration(declaration)) {
      const from = relative(checkout, declaration.getSourceFile().fileName);
      if (/^(core|provider)\//.test(from) && !exported.has(type)) missing.add(`${type.name} (${from})`);
    }
    ts.forEachChild(node, visit);
  };
  for (const symbol of exported) for (const declaration of symbol.declarations ?? []) visit(declaration);
  return [...missing].sort();
}

function nameOfType(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isImportTypeNode(node)) return node.qualifier;
  return ts.isExpressionWithTypeArguments(node) ? node.expression : undefined;
}

test("every type in a signature of an entry point can be imported from it", () => {
  const program = programOfDeclarations();
  for (const file of files) expect(unexportedTypes(program, file), file).toEqual([]);
});
