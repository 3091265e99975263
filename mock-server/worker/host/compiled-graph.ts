import {
  type Execution,
  type Graph,
  GraphError,
  type GraphSettings,
  type Outcome,
} from "../../agent-server/engine/contract.ts";
import { CallFailure, type MethodName, type Params, type Result } from "../calls.ts";
import type { ProjectGraph } from "../load/graph-config.ts";
import { type ExecuteParams, graphNotMade, type WorkerMethods } from "../protocol.ts";
import type { DeclaredTypes } from "./declared-types.ts";
import { WorkerLost } from "./graph-worker.ts";
import type { Supervisor } from "./supervisor.ts";

/** Maximum number of attempts of a run whose worker is lost through no fault of its own. */
const maxAttempts = 3;

/** A graph of a project. Runs in the server and calls the project's worker. */
export function compiledGraph(
  { id: graphId, description }: ProjectGraph,
  { supervisor, types }: { supervisor: Supervisor; types: DeclaredTypes },
  defaults: GraphSettings = { config: {}, context: {} },
): Graph {
  /** Calls a method that only reads; retries once if the worker is lost. */
  const read = async <Name extends MethodName<WorkerMethods>>(
    method: Name,
    params: Params<WorkerMethods, Name>,
  ): Promise<Result<WorkerMethods, Name>> => {
    try {
      return await supervisor.call(method, params);
    } catch (error) {
      if (error instanceof WorkerLost) return supervisor.call(method, params);
      throw error instanceof CallFailure && error.name === graphNotMade ? graphError(error) : error;
    }
  };
  return {
    id: graphId,
    description,
    defaults,
    engine: "compiled",
    draw: (depth, settings) => read("draw", { graphId, depth, settings }),
    schemas: async (settings) => types.complete(graphId, await read("schemas", { graphId, settings })),
    async inputFields(settings) {
      const { input_schema: schema } = await read("schemas", { graphId, settings });
      return Object.keys(schema.properties ?? {});
    },
    subgraphs: async (recurse, settings) =>
      types.completeSubgraphs(await read("subgraphs", { graphId, recurse, settings })),
    execute: (execution) => execute(graphId, execution, supervisor),
    async states({ threadId, settings, checkpoints, at, subgraphs }) {
      await using call = supervisor.openCalls.open({ checkpoints });
      const places = at.map(({ namespace, id }) => ({ namespace, id }));
      return await read("states", { handle: call.handle, graphId, settings, threadId, at: places, subgraphs });
    },
    async update({ threadId, settings, checkpoints, from, supersteps, metadata, configurable }) {
      await using call = supervisor.openCalls.open({ checkpoints });
      const place = from && { namespace: from.namespace, id: from.id };
      const params = {
        handle: call.handle,
        graphId,
        settings,
        threadId,
        from: place,
        supersteps,
        metadata,
        configurable,
      };
      try {
        const updated = await supervisor.call("update", params);
        await call.allStored();
        return updated;
      } catch (error) {
        throw error instanceof CallFailure ? graphError(error) : error;
      }
    },
  };
}

const graphError = ({ name, message }: CallFailure) => new GraphError(name, message);

async function execute(graphId: string, execution: Execution, supervisor: Supervisor): Promise<Outcome> {
  const { checkpoints, store, publish, signal, beginAttempt, sleep: _, now: __, uuid: ___, ...data } = execution;
  let begin: Partial<ExecuteParams> = {};
  for (let attempt = 1; ; attempt++) {
    await using call = supervisor.openCalls.open({ checkpoints, store, publish });
    const params: ExecuteParams = {
      ...data,
      ...begin,
      metadata: { ...data.metadata, run_attempt: attempt },
      handle: call.handle,
      graphId,
      keepsState: checkpoints !== undefined,
    };
    try {
      // A run whose worker was lost may have caused that, so it is retried in a dedicated worker.
      const outcome = await supervisor.call("execute", params, { signal, isDedicated: attempt > 1 });
      await call.allStored();
      return outcome;
    } catch (error) {
      if (!(error instanceof WorkerLost) || signal.aborted || attempt === maxAttempts) throw error;
      // The next attempt continues from the thread's last checkpoint.
      if (await call.hasStored()) begin = { input: null, command: null, checkpointId: undefined };
      beginAttempt(attempt + 1);
    }
  }
}
