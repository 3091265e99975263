import type { Graph } from "../../agent-server/engine/contract.ts";
import type { GraphProject } from "../load/graph-config.ts";
import { compiledGraph } from "./compiled-graph.ts";
import { type CallOptions, type ProjectWorkerOptions, Supervisor } from "./supervisor.ts";

/** A project's graphs, ready to run in a thread of their own. */
export interface ProjectWorker extends AsyncDisposable {
  readonly graphs: readonly Graph[];
  /**
   * Calls a method that the thread answers; see `thread-main.ts`.
   * @throws {CallFailure} what the method throws. @throws {ThreadLost} when the thread ends meanwhile.
   */
  call(method: string, params: unknown, options?: Pick<CallOptions, "signal" | "isAlone">): Promise<unknown>;
  /** Ends the thread: with `drain` once all calls have ended, else at once, and they fail. */
  close(options?: { drain?: boolean }): Promise<void>;
}

/**
 * Starts a thread and loads a project's graphs in it.
 * @throws {ProjectLoadError} when a file doesn't load, or not in time, or doesn't export a graph, or the library isn't installed.
 */
export async function startProjectWorker(
  project: GraphProject,
  options: ProjectWorkerOptions = {},
): Promise<ProjectWorker> {
  const supervisor = new Supervisor(project, options);
  await supervisor.thread();
  const close = (choice?: { drain?: boolean }) => supervisor.close(choice?.drain ?? false);
  return {
    graphs: project.graphs.map(({ id, description }) => compiledGraph(id, description, supervisor)),
    call: (method, params, options) => supervisor.call(method, {}, () => params, options),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}
