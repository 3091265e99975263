import { applyUpdate, initialValues } from "./channels.ts";
import { makeCheckpoint, pendingTasks } from "./checkpoint.ts";
import { draw, schemasOf, subgraphsOf } from "./drawing.ts";
import { type Graph, GraphError } from "./graph.ts";
import { checkGraph, end, follow, type ScriptedGraph, start } from "./scripted-graph.ts";
import { ScriptedRun } from "./scripted-run.ts";

/**
 * A scripted graph, ready to run in this process.
 * @throws {TypeError} when an edge leads nowhere.
 */
export function scriptedGraph(script: ScriptedGraph): Graph {
  checkGraph(script);
  return {
    id: script.id,
    description: script.description ?? null,
    draw: async (depth) => draw(script, depth),
    schemas: async () => schemasOf(script),
    subgraphs: async (recurse) => subgraphsOf(script, recurse),
    execute: (execution) => new ScriptedRun(script, execution).run(),
    async update({ from, values: update, asNode, metadata, runId, now, uuid }) {
      const before = { ...initialValues(script.channels), ...from?.values };
      const values =
        update === null || update === undefined ? before : applyUpdate(script.channels, before, update, uuid);
      const source = asNode === "__input__" ? start : (asNode ?? lastNode(from?.tasks.map(({ name }) => name)));
      if (source !== undefined && source !== start && source !== end && !Object.hasOwn(script.nodes, source)) {
        throw new GraphError("InvalidUpdateError", `Graph "${script.id}" has no node "${source}".`);
      }
      const stay = asNode === undefined && from ? pendingTasks(from).map(({ name }) => name) : undefined;
      const next = stay ?? (source === end || source === undefined ? [] : follow(script.edges[source] ?? end, values));
      return makeCheckpoint({
        graph: script,
        parent: from,
        namespace: "",
        source: "update",
        step: (from?.step ?? -2) + 1,
        values,
        next,
        metadata,
        runId,
        now: now(),
        random: uuid(),
      });
    },
  };
}

/** The node that an update without one counts as: the only one that could be meant. */
function lastNode(names: readonly string[] | undefined): string | undefined {
  return names?.length === 1 ? names[0] : undefined;
}
