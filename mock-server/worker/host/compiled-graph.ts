import {
  type Drawing,
  type Execution,
  type Graph,
  GraphError,
  type GraphSchemas,
  type Outcome,
  type StateSnapshot,
} from "../../agent-server/engine/contract.ts";
import { CallFailure } from "../calls.ts";
import type {
  DrawParams,
  ExecuteParams,
  ExecuteResult,
  StatesParams,
  SubgraphsParams,
  UpdateParams,
} from "../protocol.ts";
import type { Supervisor } from "./supervisor.ts";
import { ThreadLost } from "./worker.ts";

/** How often a run begins, when its thread is lost through no fault of its own. */
const mostAttempts = 3;

/** A graph of a project, which runs in the project's thread. */
export function compiledGraph(id: string, description: string | null, supervisor: Supervisor): Graph {
  /** What only reads is asked again of the next thread. */
  const read = async (method: string, params: (scope: number) => unknown, access = {}): Promise<unknown> => {
    try {
      return await supervisor.call(method, access, params);
    } catch (error) {
      if (error instanceof ThreadLost) return supervisor.call(method, access, params);
      throw error;
    }
  };
  return {
    id,
    description,
    engine: "compiled",
    draw: async (depth) => (await read("draw", () => ({ graphId: id, depth }) satisfies DrawParams)) as Drawing,
    schemas: async () => (await read("schemas", () => ({ graphId: id }))) as GraphSchemas,
    subgraphs: async (recurse) =>
      (await read("subgraphs", () => ({ graphId: id, recurse }) satisfies SubgraphsParams)) as Record<
        string,
        GraphSchemas
      >,
    execute: (execution) => execute(id, execution, supervisor),
    async states({ threadId, checkpoints, at, subgraphs }) {
      const places = at.map(({ namespace, id }) => ({ namespace, id }));
      const params = (scope: number): StatesParams => ({ scope, graphId: id, threadId, at: places, subgraphs });
      return JSON.parse((await read("states", params, { checkpoints })) as string) as StateSnapshot[];
    },
    async update({ threadId, checkpoints, from, supersteps, metadata, configurable }) {
      try {
        const made = await supervisor.call("update", { checkpoints }, (scope) => {
          const place = from && { namespace: from.namespace, id: from.id };
          return {
            scope,
            graphId: id,
            threadId,
            from: place,
            supersteps,
            metadata,
            configurable,
          } satisfies UpdateParams;
        });
        return made as { namespace: string; id: string };
      } catch (error) {
        throw error instanceof CallFailure ? new GraphError(error.name, error.message) : error;
      }
    },
  };
}

async function execute(graphId: string, execution: Execution, supervisor: Supervisor): Promise<Outcome> {
  const { checkpoints, store, publish, signal } = execution;
  let begin: Pick<ExecuteParams, "input" | "command" | "checkpointId"> = execution;
  for (let attempt = 1; ; attempt++) {
    let hasPut = false;
    try {
      const result = await supervisor.call(
        "execute",
        { checkpoints, store, publish },
        (scope) => executeParams(scope, graphId, { ...execution, ...begin }, attempt),
        {
          signal,
          // A run whose thread was lost may have been what the thread was lost by.
          isAlone: attempt > 1,
          onEnd: (put) => {
            hasPut = put;
          },
        },
      );
      const { values, interrupts } = result as ExecuteResult;
      return { values: JSON.parse(values), ...(interrupts ? { interrupts } : {}) };
    } catch (error) {
      if (!(error instanceof ThreadLost) || signal.aborted || attempt === mostAttempts) throw error;
      // What the run has done so far is in the thread's last checkpoint, and goes on from there.
      if (hasPut) begin = { input: null, command: null, checkpointId: undefined };
      execution.beginAttempt(attempt + 1);
    }
  }
}

function executeParams(scope: number, graphId: string, execution: Execution, attempt: number): ExecuteParams {
  const { input, command, checkpointId, runId, threadId, config, context, metadata } = execution;
  const { interruptBefore, interruptAfter, recursionLimit, durability, streamModes, streamSubgraphs } = execution;
  return {
    scope,
    graphId,
    input,
    command,
    checkpointId,
    runId,
    threadId,
    config,
    context,
    metadata: { ...metadata, run_attempt: attempt },
    interruptBefore,
    interruptAfter,
    recursionLimit,
    durability,
    streamModes,
    streamSubgraphs,
    keepsState: execution.checkpoints !== undefined,
  };
}
