import { enableCompileCache } from "node:module";
import { parentPort } from "node:worker_threads";
import { Calls } from "../calls.ts";
import { loadedFiles } from "../load/module-hooks.ts";
import type {
  DrawParams,
  ExecuteParams,
  LoadParams,
  StatesParams,
  SubgraphsParams,
  TakenNotice,
  UpdateParams,
} from "../protocol.ts";
import { threadSaver } from "./checkpoint-saver.ts";
import { keepRunsApart } from "./dedicated.ts";
import { EventWriter } from "./event-writer.ts";
import { type CompiledGraph, type GraphMaker, loadGraph } from "./graph-export.ts";
import { schemasOf, subgraphSchemas } from "./graph-schemas.ts";
import { appMethods } from "./http-app.ts";
import { type Library, loadLibrary } from "./library.ts";
import { authMethods } from "./load-auth.ts";
import { libraryCommand, runGraph } from "./run-graph.ts";
import { snapshotView } from "./snapshot.ts";
import { wireJson } from "./wire-json.ts";

/** The thread in which a project's own code runs. */

// A thread doesn't take this over from the process. The library is most of what a start takes.
enableCompileCache();
if (!parentPort) throw new Error("This module is the entry of a worker thread.");
const calls = new Calls(parentPort);
const apart = keepRunsApart();
const makers = new Map<string, GraphMaker>();
const writers = new Map<number, EventWriter>();
let library: Library;

calls.on("load", async ({ folder, graphs, env }: LoadParams) => {
  Object.assign(process.env, env);
  const [first] = graphs;
  if (!first) return;
  library = await loadLibrary(folder, first.module);
  for (const { id, module, exportName } of graphs) makers.set(id, await loadGraph(module, exportName));
});

calls.on("ping", () => calls.notify("pong", undefined));

calls.on("loaded-files", () => [...loadedFiles]);

for (const [method, handler] of Object.entries({ ...appMethods(), ...authMethods() })) calls.on(method, handler);

calls.on("taken", ({ scope, size }: TakenNotice) => writers.get(scope)?.taken(size));

calls.on("execute", async (params: ExecuteParams, signal) => {
  const writer = new EventWriter(calls, params.scope);
  writers.set(params.scope, writer);
  try {
    return await apart.run(() =>
      runGraph(params, { library, calls, makeGraph: makerOf(params.graphId), writer, signal }),
    );
  } finally {
    writer.flush();
    writers.delete(params.scope);
  }
});

calls.on("states", async ({ scope, graphId, threadId, at, subgraphs }: StatesParams) => {
  const graph = await plainGraph(graphId);
  graph.checkpointer = threadSaver(library, calls, { scope, threadId, runId: null });
  const states: unknown[] = [];
  for (const { namespace, id } of at) {
    const configurable = {
      thread_id: threadId,
      checkpoint_ns: namespace,
      ...(id === undefined ? {} : { checkpoint_id: id }),
    };
    states.push(snapshotView(await graph.getState({ configurable }, { subgraphs })));
  }
  return wireJson(states, "The state");
});

calls.on("update", async ({ scope, graphId, threadId, from, supersteps, ...params }: UpdateParams) => {
  const graph = await plainGraph(graphId);
  graph.checkpointer = threadSaver(library, calls, { scope, threadId, runId: null });
  const config = {
    configurable: {
      ...params.configurable,
      thread_id: threadId,
      checkpoint_ns: from?.namespace ?? "",
      ...(from ? { checkpoint_id: from.id } : {}),
    },
    metadata: params.metadata,
  };
  const { configurable } = await graph.bulkUpdateState(
    config,
    supersteps.map((changes) => ({
      updates: changes.map(({ values, asNode, command }) => ({
        values: command ? libraryCommand(library, command) : (values as Record<string, unknown>),
        ...(asNode === undefined ? {} : { asNode }),
      })),
    })),
  );
  return { namespace: configurable?.checkpoint_ns ?? "", id: configurable?.checkpoint_id };
});

calls.on("draw", async ({ graphId, depth }: DrawParams) => {
  const graph = await plainGraph(graphId);
  const options: object = { xray: Number.isFinite(depth) ? depth : true };
  const drawing = await graph.getGraphAsync(options);
  return JSON.parse(wireJson(drawing, "The drawing"));
});

calls.on("schemas", async ({ graphId }: { graphId: string }) =>
  JSON.parse(wireJson(schemasOf(library, await plainGraph(graphId)), "The schemas")),
);

calls.on("subgraphs", async ({ graphId, recurse }: SubgraphsParams) =>
  JSON.parse(wireJson(await subgraphSchemas(library, await plainGraph(graphId), recurse), "The schemas")),
);

function makerOf(graphId: string): GraphMaker {
  const make = makers.get(graphId);
  if (!make) throw new TypeError(`The project has no graph "${graphId}".`);
  return make;
}

/** A graph outside of a run. */
function plainGraph(graphId: string): Promise<CompiledGraph> {
  return makerOf(graphId)({ configurable: {} }, {});
}
