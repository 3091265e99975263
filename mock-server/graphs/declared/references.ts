import type { Problem } from "../../worker/load/config-problems.ts";
import type { GraphDeclaration, GraphDeclarations, NodeDeclaration, StepDeclaration } from "./graph-declaration.ts";
import { placeholdersIn } from "./placeholders.ts";

/** Finds unknown names in declarations, and graphs that run themselves. */
export function problemsIn(declarations: GraphDeclarations, others: ReadonlySet<string>): Problem[] {
  return Object.entries(declarations).flatMap(([id, declaration]) => [
    ...graphProblems([id], declaration),
    ...Object.entries(declaration.nodes).flatMap(([name, { graph }]) => {
      if (graph === undefined) return [];
      const at = [id, "nodes", name, "graph"];
      if (!Object.hasOwn(declarations, graph) && !others.has(graph)) {
        const known = [...new Set([...Object.keys(declarations), ...others])].join(", ");
        return [{ at, text: `names the graph "${graph}", which doesn't exist: there are ${known}` }];
      }
      return runs(declarations, graph, id) ? [{ at, text: `names "${graph}", so that "${id}" would run itself` }] : [];
    }),
  ]);
}

/** Whether a graph runs another, directly or through others. */
function runs(declarations: GraphDeclarations, from: string, wanted: string, seen = new Set<string>()): boolean {
  if (from === wanted) return true;
  if (seen.has(from) || !Object.hasOwn(declarations, from)) return false;
  seen.add(from);
  const { nodes } = declarations[from] as GraphDeclaration;
  return Object.values(nodes).some(({ graph }) => graph !== undefined && runs(declarations, graph, wanted, seen));
}

function graphProblems(at: PropertyKey[], { state = {}, start, nodes }: GraphDeclaration): Problem[] {
  const known = { nodes: Object.keys(nodes), fields: ["messages", ...Object.keys(state)] };
  const found = start === undefined ? [] : targetProblems([...at, "start"], start, known.nodes);
  const reserved = ["end", "__start__", "__end__"];
  for (const [name, node] of Object.entries(nodes)) {
    const here = [...at, "nodes", name];
    if (reserved.includes(name)) found.push({ at: here, text: `has the name "${name}", which is reserved` });
    found.push(...nodeProblems(here, node, known));
  }
  return found;
}

interface Known {
  nodes: readonly string[];
  fields: readonly string[];
}

function nodeProblems(
  at: PropertyKey[],
  { steps = [], branches = [], next }: NodeDeclaration,
  known: Known,
): Problem[] {
  return [
    ...steps.flatMap((step, index) => stepProblems([...at, "steps", index], step, known.fields)),
    ...branches.flatMap(({ when, to }, index) => [
      ...targetProblems([...at, "branches", index, "to"], to, known.nodes),
      ...(when.field === undefined
        ? []
        : fieldProblems([...at, "branches", index, "when", "field"], when.field, known.fields)),
    ]),
    ...[next ?? []].flat().flatMap((target) => targetProblems([...at, "next"], target, known.nodes)),
  ];
}

function targetProblems(at: PropertyKey[], target: string, nodes: readonly string[]): Problem[] {
  if (target === "end" || nodes.includes(target)) return [];
  return [{ at, text: `names the node "${target}", which doesn't exist: there are ${nodes.join(", ")} and end` }];
}

function stepProblems(at: PropertyKey[], step: StepDeclaration, fields: readonly string[]): Problem[] {
  const { into, set = {} } = step;
  const values = ["last", "answer", ...fields];
  return [
    ...(into === undefined ? [] : fieldProblems([...at, "into"], into, fields)),
    ...Object.keys(set).flatMap((field) => fieldProblems([...at, "set", field], field, fields)),
    ...placeholdersIn(step)
      .filter((name) => !values.includes(name))
      .map((name) => ({ at, text: `has {{${name}}}, which doesn't exist: there are ${values.join(", ")}` })),
  ];
}

function fieldProblems(at: PropertyKey[], field: string, fields: readonly string[]): Problem[] {
  if (fields.includes(field)) return [];
  return [{ at, text: `names the field "${field}", which isn't in the state: there are ${fields.join(", ")}` }];
}
