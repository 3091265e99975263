import { HttpError } from "../../kit/http/http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import { findGraph } from "../assistants/assistant-model.ts";
import type { CheckpointReference, Graph, StateSnapshot } from "../engine/contract.ts";
import type { CheckpointRecord, ThreadRecord } from "../persistence/records.ts";
import { checkpointStore } from "./checkpoints.ts";

const emptyState: StateSnapshot = {
  values: {},
  next: [],
  tasks: [],
  metadata: {},
  created_at: null,
  checkpoint: null,
  parent_checkpoint: null,
  interrupts: [],
};

/** Which checkpoint a client means; without an id, the newest. */
export interface CheckpointChoice {
  checkpoint_id?: string | undefined;
  checkpoint_ns?: string | undefined;
}

/**
 * The graph whose states a thread has; `undefined` for a thread that nothing has run on.
 * @throws {HttpError} 404 when the server has no such graph.
 */
export function graphOfThread(host: AgentHost, { metadata }: ThreadRecord): Graph | undefined {
  return typeof metadata.graph_id === "string" ? findGraph(host, metadata.graph_id) : undefined;
}

/** The newest checkpoint of a namespace, or the one with an id. @throws {HttpError} 404 when there is none with that id. */
export function findCheckpoint(
  host: AgentHost,
  threadId: string,
  engine: Graph["engine"] | undefined,
  { checkpoint_id: id, checkpoint_ns: namespace }: CheckpointChoice,
): CheckpointRecord | undefined {
  const filter = { id, namespace: id === undefined ? (namespace ?? "") : namespace };
  const found = engine && host.state.checkpoints.search(threadId, engine, filter, 1)[0];
  if (!found && id !== undefined) throw new HttpError(404, `Checkpoint ${id} of thread ${threadId} not found.`);
  return found;
}

/** How a client refers to a checkpoint. */
export function viewCheckpoint(threadId: string, id: string, namespace: string): CheckpointReference {
  return { thread_id: threadId, checkpoint_id: id, checkpoint_ns: namespace, checkpoint_map: null };
}

/**
 * The state of a thread, or that at a checkpoint; with `subgraphs`, also those of its tasks that are graphs within it.
 * @throws {HttpError} 404 when there is no such checkpoint.
 */
export async function stateOf(
  host: AgentHost,
  thread: ThreadRecord,
  choice: CheckpointChoice,
  subgraphs: boolean,
): Promise<StateSnapshot> {
  const graph = graphOfThread(host, thread);
  const found = findCheckpoint(host, thread.thread_id, graph?.engine, choice);
  if (!found || !graph) return emptyState;
  const id = choice.checkpoint_id === undefined ? undefined : found.id;
  const [state] = await statesAt(host, thread, graph, [{ namespace: found.namespace, id }], subgraphs);
  return state as StateSnapshot;
}

/** States of a thread whose checkpoints are known to be there. */
export function statesAt(
  host: AgentHost,
  { thread_id: threadId }: ThreadRecord,
  graph: Graph,
  at: readonly { namespace: string; id?: string | undefined }[],
  subgraphs: boolean,
): Promise<StateSnapshot[]> {
  return graph.states({ threadId, checkpoints: checkpointStore(host, threadId, graph.engine), at, subgraphs });
}
