import { enableCompileCache } from "node:module";
import { parentPort } from "node:worker_threads";
import type { GraphSettings } from "../../agent-server/engine/contract.ts";
import { failureByClass } from "../../kit/failure.ts";
import { Calls } from "../calls.ts";
import { LoadAttempts } from "../load/load-attempts.ts";
import { loadedFiles } from "../load/module-hooks.ts";
import { ownFrame } from "../load/own-frame.ts";
import { graphNotMade, type ServerMethods, type WorkerMethods } from "../protocol.ts";
import { currentCaller } from "./caller.ts";
import { threadSaver } from "./checkpoint-saver.ts";
import { EventWriter } from "./event-writer.ts";
import { type ExportedAuth, loadAuth } from "./exported-auth.ts";
import { type CompiledGraph, type GraphMaker, loadGraph } from "./graph-export.ts";
import { schemasOf, subgraphSchemas } from "./graph-schemas.ts";
import { HttpApp } from "./http-app.ts";
import { type Library, loadLibrary } from "./library.ts";
import { provideOwnServer } from "./own-server.ts";
import { libraryCommand, runGraph } from "./run-graph.ts";
import { isolateRuns } from "./run-isolation.ts";
import { provideSdkLogger } from "./sdk-logger.ts";
import { snapshotView } from "./snapshot.ts";
import { wireValue } from "./wire-json.ts";

/** The entry module of workers, in which a project's own code runs. */

// Workers don't inherit this setting. Loading the library takes most of a worker's start.
enableCompileCache();
if (!parentPort) throw new Error("This module is the entry of a worker.");
const calls = new Calls<WorkerMethods, ServerMethods>(parentPort, (thrown) => ({
  ...failureByClass(thrown),
  at: ownFrame(thrown),
}));
const isolated = isolateRuns();
const makers = new Map<string, GraphMaker>();
let library: Library;
let auth: ExportedAuth;
let app: HttpApp | undefined;

calls.serve({
  async load(project) {
    Object.assign(process.env, project.env);
    provideOwnServer(calls);
    provideSdkLogger(calls, currentNode);
    const [first] = project.graphs;
    if (first) library = await loadLibrary(project.folder, first.module);
    const loading = new LoadAttempts();
    for (const { id, ...place } of project.graphs) {
      await loading.attempt(async () => makers.set(id, await loadGraph(place)));
    }
    const { auth: authPlace, http } = project;
    if (authPlace) {
      await loading.attempt(async () => {
        auth = await loadAuth(authPlace);
      });
    }
    if (http.app) {
      const place = http.app;
      await loading.attempt(async () => {
        app = await HttpApp.load(place, calls);
      });
    }
    loading.throwIfAnyFailed();
    return { files: [...loadedFiles], app: app?.table ?? null };
  },

  ping() {},

  async execute(params, signal) {
    const writer = new EventWriter(calls, params.handle);
    try {
      const makeGraph = makerOf(params.graphId);
      const run = () => runGraph(params, { library, calls, makeGraph, writer, signal });
      const { runId, user } = params;
      return await isolated(() => currentCaller.run({ kind: "run", runId, user }, run));
    } finally {
      writer.flush();
    }
  },

  async states({ handle, graphId, settings, threadId, at, subgraphs }) {
    const graph = await plainGraph(graphId, settings);
    graph.checkpointer = threadSaver(library, calls, { handle, threadId, runId: null });
    const states: unknown[] = [];
    for (const { namespace, id } of at) {
      const configurable = {
        thread_id: threadId,
        checkpoint_ns: namespace,
        ...(id === undefined ? {} : { checkpoint_id: id }),
      };
      states.push(snapshotView(await graph.getState({ configurable }, { subgraphs })));
    }
    return wireValue(states, "The state");
  },

  async update({ handle, graphId, settings, threadId, from, supersteps, metadata, ...params }) {
    const graph = await plainGraph(graphId, settings);
    graph.checkpointer = threadSaver(library, calls, { handle, threadId, runId: null });
    const { configurable } = await graph.bulkUpdateState(
      {
        configurable: {
          ...params.configurable,
          thread_id: threadId,
          checkpoint_ns: from?.namespace ?? "",
          ...(from ? { checkpoint_id: from.id } : {}),
        },
        metadata,
      },
      supersteps.map((changes) => ({
        updates: changes.map(({ values, asNode, command }) => ({
          values: command ? libraryCommand(library, command) : (values as Record<string, unknown>),
          ...(asNode === undefined ? {} : { asNode }),
        })),
      })),
    );
    return { namespace: configurable?.checkpoint_ns ?? "", id: configurable?.checkpoint_id };
  },

  async draw({ graphId, depth, settings }) {
    const graph = await plainGraph(graphId, settings);
    const options: object = { xray: Number.isFinite(depth) ? depth : true };
    return wireValue(await graph.getGraphAsync(options), "The drawing");
  },

  schemas: async ({ graphId, settings }) =>
    wireValue(schemasOf(library, await plainGraph(graphId, settings)), "The schemas"),
  subgraphs: async ({ graphId, recurse, settings }) =>
    wireValue(await subgraphSchemas(library, await plainGraph(graphId, settings), recurse), "The schemas"),

  authenticate: (request) => currentCaller.run({ kind: "auth handler" }, () => auth.authenticate(request)),
  authorize: (event) => currentCaller.run({ kind: "auth handler" }, () => auth.authorize(event)),

  fetchApp: ({ request, user }, signal) =>
    currentCaller.run({ kind: "request", user }, () => theApp().fetch(request, user, signal)),
  readAppBody: (body) => theApp().bodies.read(body),
  cancelAppBody: (body) => theApp().bodies.cancel(body),

  async bundleUi({ folder, ui }) {
    const { bundleUi } = await import("./ui-bundles.ts");
    return bundleUi(folder, ui);
  },
});

function theApp(): HttpApp {
  if (!app) throw new TypeError("The project has no app.");
  return app;
}

function makerOf(graphId: string): GraphMaker {
  const make = makers.get(graphId);
  if (!make) throw new TypeError(`The project has no graph "${graphId}".`);
  return make;
}

/** A graph for use outside of a run. @throws {Error} named {@link graphNotMade} */
async function plainGraph(graphId: string, { config, context }: GraphSettings): Promise<CompiledGraph> {
  try {
    return await makerOf(graphId)(config, { context });
  } catch (error) {
    const { name, message } = failureByClass(error);
    const reason = `Graph "${graphId}" can't be made for this config: ${name}: ${message}`;
    throw Object.assign(new Error(reason, { cause: error }), { name: graphNotMade });
  }
}

/** The node whose code is running; none while the project loads. */
function currentNode(): string | undefined {
  const node = (library as Library | undefined)?.getConfig()?.metadata?.langgraph_node;
  return typeof node === "string" ? node : undefined;
}
