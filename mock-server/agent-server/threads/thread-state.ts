import { HttpError } from "../../http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import type { Fields, Task } from "../engine/graph.ts";
import { nextOf } from "../engine/run-events.ts";
import type { CheckpointRecord } from "../state/records.ts";

const emptyState = {
  values: {},
  next: [],
  tasks: [],
  metadata: {},
  created_at: null,
  checkpoint: null,
  parent_checkpoint: null,
  interrupts: [],
};

/** A thread's checkpoints of one namespace, the newest first. */
export async function checkpointsOf(host: AgentHost, threadId: string, namespace = ""): Promise<CheckpointRecord[]> {
  const all = (await host.state.checkpoints.group(threadId)).filter((checkpoint) => checkpoint.namespace === namespace);
  return all.sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** The newest checkpoint of a namespace, or the one with an id. @throws {HttpError} 404 when there is none with that id. */
export async function findCheckpoint(
  host: AgentHost,
  threadId: string,
  {
    checkpoint_id: id,
    checkpoint_ns: namespace,
  }: { checkpoint_id?: string | undefined; checkpoint_ns?: string | undefined },
): Promise<CheckpointRecord | undefined> {
  if (id === undefined) return (await checkpointsOf(host, threadId, namespace))[0];
  const found = (await host.state.checkpoints.group(threadId)).find(
    (checkpoint) => checkpoint.id === id && (namespace === undefined || checkpoint.namespace === namespace),
  );
  if (!found) throw new HttpError(404, `Checkpoint ${id} of thread ${threadId} not found.`);
  return found;
}

/** How a client refers to a checkpoint. */
export function viewCheckpoint(threadId: string, id: string, namespace: string): Fields {
  return { thread_id: threadId, checkpoint_id: id, checkpoint_ns: namespace, checkpoint_map: null };
}

/** The state at a checkpoint, as it is sent; with `subgraphs`, those of its tasks that are graphs within it. */
export async function viewState(
  host: AgentHost,
  checkpoint: CheckpointRecord | undefined,
  subgraphs: boolean,
): Promise<Fields> {
  if (!checkpoint) return emptyState;
  const { threadId, id, parentId, namespace, tasks, values, metadata, createdAt } = checkpoint;
  return {
    values,
    next: nextOf(checkpoint),
    tasks: await Promise.all(tasks.map((task) => viewTask(host, checkpoint, task, subgraphs))),
    metadata: { ...metadata, thread_id: threadId },
    created_at: createdAt,
    checkpoint: viewCheckpoint(threadId, id, namespace),
    parent_checkpoint: parentId === null ? null : viewCheckpoint(threadId, parentId, namespace),
    interrupts: tasks.flatMap(({ interrupts }) => interrupts),
  };
}

async function viewTask(
  host: AgentHost,
  { threadId, namespace }: CheckpointRecord,
  task: Task,
  subgraphs: boolean,
): Promise<Fields> {
  const { id, name, error, asked, path, result } = task;
  const interrupts = result === undefined ? task.interrupts : asked;
  const inner = [namespace, `${name}:${id}`].filter((part) => part !== "").join("|");
  const state = subgraphs && task.isSubgraph ? (await checkpointsOf(host, threadId, inner))[0] : undefined;
  return {
    id,
    name,
    error,
    interrupts,
    path,
    checkpoint: task.isSubgraph ? { thread_id: threadId, checkpoint_ns: inner } : null,
    state: state ? await viewState(host, state, subgraphs) : null,
    result: result ?? null,
  };
}
