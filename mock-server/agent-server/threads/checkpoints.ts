import type { AgentHost } from "../agent-host.ts";
import type { CheckpointStore, Graph } from "../engine/graph.ts";

/** A thread's checkpoints as an engine reads and writes them. What is put once the signal is aborted is dropped. */
export function checkpointStore(
  { state: { checkpoints } }: Pick<AgentHost, "state">,
  threadId: string,
  engine: Graph["engine"],
  signal?: AbortSignal,
): CheckpointStore {
  return {
    get: async (namespace, id) => checkpoints.get(threadId, engine, namespace, id),
    list: async (namespace) => checkpoints.list(threadId, engine, namespace),
    async put(checkpoint) {
      if (!signal?.aborted) checkpoints.put(threadId, engine, checkpoint);
    },
    writes: async (namespace, checkpointId) => checkpoints.writes(threadId, namespace, checkpointId),
    async putWrites(writes) {
      if (!signal?.aborted) checkpoints.putWrites(threadId, writes);
    },
  };
}
