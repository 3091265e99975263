import type { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import { type CheckpointReference, GraphError, type StateChange, type StateSnapshot } from "../engine/contract.ts";
import type { ThreadRecord } from "../persistence/records.ts";
import { heldCheckpoints } from "./checkpoints.ts";
import { changeThread, findThread } from "./thread-model.ts";
import type { threadStateUpdate } from "./thread-schemas.ts";
import { type CheckpointChoice, findCheckpoint, graphOfThread, viewCheckpoint } from "./thread-state.ts";

/**
 * Changes the state of a thread as if a node had done it.
 * @throws {HttpError} 409 while a run is under way, 422 for a thread without a graph, an unknown node or values that don't fit.
 */
export async function updateState(
  host: AgentHost,
  threadId: string,
  body: z.output<typeof threadStateUpdate>,
): Promise<CheckpointReference> {
  const checkIdle = () => {
    if (host.runs.isBusy(threadId)) throw new HttpError(409, `Thread ${threadId} is busy: a run is under way.`);
  };
  const thread = findThread(host, threadId);
  checkIdle();
  const chosen =
    body.checkpoint_id === undefined ? body.checkpoint : { ...body.checkpoint, checkpoint_id: body.checkpoint_id };
  const updates = Array.isArray(body.values) ? body.values : [body.values];
  const supersteps = updates.map((values) => [{ values, asNode: body.as_node }]);
  const update = await prepareUpdate(host, thread, chosen ?? {}, supersteps);
  checkIdle();
  host.state.transaction(() => update.keep());
  return update.reference;
}

/** A change of a thread's state that has been computed. */
interface PreparedUpdate {
  /** The checkpoint that it ends with. */
  reference: CheckpointReference;
  /** Writes all of it. */
  keep(): void;
}

/**
 * Computes a change of the state of a thread, which may be yet to be added.
 * @throws {HttpError} 404 for an unknown checkpoint, 422 for a thread without a graph, an unknown node or values that don't fit.
 */
export async function prepareUpdate(
  host: AgentHost,
  thread: ThreadRecord,
  choice: CheckpointChoice,
  supersteps: StateChange[][],
): Promise<PreparedUpdate> {
  const { thread_id: threadId } = thread;
  const graph = graphOfThread(host, thread);
  if (!graph) {
    throw new HttpError(422, `Thread ${threadId} has no graph: run one on it, or set "graph_id" in its metadata.`);
  }
  const metadata = { graph_id: graph.id, thread_id: threadId };
  const checkpoints = heldCheckpoints(host, threadId, graph.engine);
  const { namespace, id } = await graph
    .update({
      threadId,
      checkpoints,
      from: findCheckpoint(host, threadId, graph.engine, choice),
      supersteps,
      metadata,
      configurable: metadata,
      now: () => host.clock.now(),
      uuid: () => host.ids.uuid(),
    })
    .catch((error: unknown) => {
      throw error instanceof GraphError ? new HttpError(422, error.message) : error;
    });
  const [state] = await graph.states({ threadId, checkpoints, at: [{ namespace: "" }], subgraphs: false });
  return {
    reference: viewCheckpoint(threadId, id, namespace),
    keep() {
      checkpoints.keep();
      changeThread(host, threadId, () => ({
        values: (state as StateSnapshot).values,
        interrupts: {},
        status: "idle",
        error: null,
        state_updated_at: host.timestamp(),
      }));
    },
  };
}
