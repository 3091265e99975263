import type ts from "typescript";
import type { Compiler } from "./compiler.ts";
import type { GraphTypes } from "./found-types.ts";
import { schemaOfType } from "./schema-of-type.ts";

/** The compiled graph in the type of an export: as it is, in an agent, of a builder, or made by a function. */
export function exportedGraph(type: ts.Type, checker: ts.TypeChecker): ts.Type | undefined {
  const graph = compiledGraph(type, checker);
  if (graph) return graph;
  const compile = type.getProperty("compile");
  const [signature] = compile ? checker.getTypeOfSymbol(compile).getCallSignatures() : type.getCallSignatures();
  const made = signature?.getReturnType();
  return made && exportedGraph(awaited(made, checker), checker);
}

/** The compiled graph in the type of a node: as it is, or in an agent. */
export function compiledGraph(type: ts.Type, checker: ts.TypeChecker): ts.Type | undefined {
  if (type.getProperty("lg_is_pregel")) return type;
  const inner = type.getProperty("graph");
  const graph = inner && checker.getTypeOfSymbol(inner);
  return graph?.getProperty("lg_is_pregel") ? graph : undefined;
}

/** Reads the schemas in the type of a compiled graph. */
export function typesOfGraph(compiler: Compiler, program: ts.Program, graph: ts.Type): GraphTypes {
  const checker = program.getTypeChecker();
  const typeOf = (owner: ts.Type | undefined, name: string) => {
    const property = owner?.getProperty(name);
    return property && checker.getTypeOfSymbol(property);
  };
  const schema = (type: ts.Type | undefined) =>
    type && isDeclared(type, checker) ? schemaOfType(compiler, program, type) : undefined;
  const builder = typeOf(graph, "builder");
  // The builder's second type parameter is the state.
  const state = builder && checker.getTypeArguments(builder as ts.TypeReference)[1];
  const [, options] = typeOf(graph, "invoke")?.getCallSignatures()[0]?.getParameters() ?? [];
  const context = typeOf(options && checker.getTypeOfSymbol(options).getNonNullableType(), "context");
  return {
    state: schema(state),
    input: schema(typeOf(graph, "~InputType")),
    output: schema(typeOf(graph, "~OutputType")),
    context: schema(context?.getNonNullableType()),
  };
}

/**
 * Whether a type has properties that are values. Where the compiler finds an error in how a graph is built, the library's
 * types have any properties, or those of the declaration.
 */
function isDeclared(type: ts.Type, checker: ts.TypeChecker): boolean {
  const properties = type.getProperties();
  return properties.length > 0 && !properties.some((one) => checker.getTypeOfSymbol(one).getProperty("lc_graph_name"));
}

function awaited(type: ts.Type, checker: ts.TypeChecker): ts.Type {
  if (type.getSymbol()?.name !== "Promise") return type;
  return checker.getTypeArguments(type as ts.TypeReference)[0] ?? type;
}
