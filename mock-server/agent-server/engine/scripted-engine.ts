import { applyUpdate, initialValues } from "./channels.ts";
import { forked, makeCheckpoint, pendingTasks, reopened } from "./checkpoint.ts";
import { type Execution, type Graph, GraphError, type StateChange, type StateUpdate } from "./contract.ts";
import { draw, schemasOf, subgraphsOf } from "./drawing.ts";
import { type Checkpoint, type Checkpoints, scriptedCheckpoints } from "./scripted-execution.ts";
import { checkGraph, end, follow, type ScriptedGraph, start } from "./scripted-graph.ts";
import { ScriptedProtocol } from "./scripted-protocol.ts";
import { ScriptedRun } from "./scripted-run.ts";
import { scriptedStates } from "./scripted-state.ts";
import { ScriptedStream } from "./scripted-stream.ts";

/** Maximum number of steps of a run without a limit of its own. */
const defaultRecursionLimit = 25;

/**
 * Makes a graph of a script. It runs in the server's process.
 * @throws {TypeError} for an edge to an unknown node.
 */
export function scriptedGraph(script: ScriptedGraph): Graph {
  checkGraph(script);
  return {
    id: script.id,
    description: script.description ?? null,
    defaults: { config: {}, context: {} },
    engine: "scripted",
    draw: async (depth) => draw(script, depth),
    schemas: async () => schemasOf(script),
    inputFields: async () => Object.keys(script.channels),
    subgraphs: async (recurse) => subgraphsOf(script, recurse),
    execute: (execution) => execute(script, execution),
    states: scriptedStates,
    async update(update) {
      const checkpoints = scriptedCheckpoints(update.checkpoints);
      const { from: chosen, supersteps } = update;
      if (chosen && chosen.namespace !== "") {
        throw new GraphError("InvalidUpdateError", "The state of a subgraph can't be updated.");
      }
      let from = await checkpoints.get("", chosen?.id);
      for (const change of supersteps.flat()) {
        from = changed(script, from, change, update);
        await checkpoints.put(from);
      }
      if (!from) throw new GraphError("InvalidUpdateError", "There is nothing to update.");
      return { namespace: from.namespace, id: from.id };
    },
  };
}

async function execute(script: ScriptedGraph, execution: Execution) {
  const checkpoints = execution.checkpoints && scriptedCheckpoints(execution.checkpoints);
  const protocol = execution.streamsProtocol ? new ScriptedProtocol(execution.publish) : undefined;
  const stream: Pick<ScriptedProtocol, "take"> = protocol ?? new ScriptedStream(execution);
  const run = new ScriptedRun(script, {
    ...execution,
    recursionLimit: execution.recursionLimit ?? defaultRecursionLimit,
    from: checkpoints && (await startingPoint(checkpoints, execution)),
    checkpoints,
    emit: (mode, namespace, data, node) => stream.take(mode, namespace, data, node),
  });
  try {
    const outcome = await run.run();
    protocol?.end("completed");
    return outcome;
  } catch (error) {
    protocol?.end("failed");
    throw error;
  }
}

/** The checkpoint that the caller names, or the thread's last one. */
async function startingPoint(
  checkpoints: Checkpoints,
  { checkpointId: chosen, command, runId, now, uuid }: Execution,
): Promise<Checkpoint | undefined> {
  const latest = await checkpoints.get("");
  if (chosen === undefined || chosen === latest?.id) return latest;
  const earlier = await checkpoints.get("", chosen);
  if (!earlier || command?.resume === undefined) return earlier && reopened(earlier);
  return forked(earlier, { runId, now: now(), random: uuid() });
}

function changed(
  script: ScriptedGraph,
  from: Checkpoint | undefined,
  { values: given, asNode, command }: StateChange,
  { metadata, now, uuid }: StateUpdate,
): Checkpoint {
  const update = command?.update ?? given;
  const before = { ...initialValues(script.channels), ...from?.values };
  const values = update === null || update === undefined ? before : applyUpdate(script.channels, before, update, uuid);
  const source = asNode === "__input__" ? start : (asNode ?? lastNode(from?.tasks.map(({ name }) => name)));
  if (source !== undefined && source !== start && source !== end && !Object.hasOwn(script.nodes, source)) {
    throw new GraphError("InvalidUpdateError", `Graph "${script.id}" has no node "${source}".`);
  }
  const pending = asNode === undefined && from ? pendingTasks(from).map(({ name }) => name) : undefined;
  const next = pending ?? (source === end || source === undefined ? [] : follow(script.edges[source] ?? end, values));
  return makeCheckpoint({
    graph: script,
    parent: from,
    namespace: "",
    source: "update",
    step: (from?.step ?? -2) + 1,
    values,
    next,
    metadata,
    runId: null,
    now: now(),
    random: uuid(),
  });
}

/** The node for an update that names none: the last one that ran, if there is only one. */
function lastNode(names: readonly string[] | undefined): string | undefined {
  return names?.length === 1 ? names[0] : undefined;
}
