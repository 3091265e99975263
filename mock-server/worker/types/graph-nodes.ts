import type ts from "typescript";
import type { Compiler } from "./compiler.ts";

/** A node that a source file adds to a graph, and the expressions that may be its subgraph. */
interface AddedNode {
  name: string;
  candidates: ts.Expression[];
}

const addingMethods = new Set(["addNode", "addSequence"]);

/** The nodes that a source file adds to graphs. */
export function* addedNodes(compiler: Compiler, source: ts.SourceFile): Generator<AddedNode> {
  const pending: ts.Node[] = [source];
  for (let node = pending.pop(); node; node = pending.pop()) {
    compiler.forEachChild(node, (child) => {
      pending.push(child);
    });
    if (!compiler.isCallExpression(node) || !compiler.isPropertyAccessExpression(node.expression)) continue;
    if (addingMethods.has(node.expression.name.text)) yield* nodesOf(compiler, node.arguments);
  }
}

/** The nodes in a call's arguments: one with its name, an object of them, or a list of lists. */
function* nodesOf(compiler: Compiler, [first, action, options]: readonly ts.Expression[]): Generator<AddedNode> {
  if (!first) return;
  if (compiler.isStringLiteralLike(first) && action) {
    yield { name: first.text, candidates: [action, ...declaredSubgraphs(compiler, options)] };
  } else if (compiler.isObjectLiteralExpression(first)) {
    for (const property of first.properties) {
      if (!property.name || compiler.isComputedPropertyName(property.name)) continue;
      if (compiler.isPropertyAssignment(property))
        yield { name: property.name.text, candidates: [property.initializer] };
      if (compiler.isShorthandPropertyAssignment(property))
        yield { name: property.name.text, candidates: [property.name] };
    }
  } else if (compiler.isArrayLiteralExpression(first)) {
    for (const entry of first.elements) {
      if (compiler.isArrayLiteralExpression(entry)) yield* nodesOf(compiler, entry.elements);
    }
  }
}

/** The graphs in the option `subgraphs` of a node that calls them itself. */
function declaredSubgraphs(compiler: Compiler, options: ts.Expression | undefined): readonly ts.Expression[] {
  if (!options || !compiler.isObjectLiteralExpression(options)) return [];
  const declared = options.properties.find((property) => property.name?.getText() === "subgraphs");
  if (!declared || !compiler.isPropertyAssignment(declared)) return [];
  return compiler.isArrayLiteralExpression(declared.initializer) ? declared.initializer.elements : [];
}
