import type { CheckpointReference, StateQuery, StateSnapshot, TaskSnapshot } from "./contract.ts";
import { nextOf } from "./run-events.ts";
import { type Checkpoint, type Checkpoints, scriptedCheckpoints, type Task } from "./scripted-execution.ts";

/** The states of a scripted graph's thread. */
export async function scriptedStates({ threadId, checkpoints, at, subgraphs }: StateQuery): Promise<StateSnapshot[]> {
  const own = scriptedCheckpoints(checkpoints);
  return Promise.all(
    at.map(async ({ namespace, id }) =>
      snapshot(threadId, own, (await own.get(namespace, id)) as Checkpoint, subgraphs),
    ),
  );
}

async function snapshot(
  threadId: string,
  checkpoints: Checkpoints,
  checkpoint: Checkpoint,
  subgraphs: boolean,
): Promise<StateSnapshot> {
  const { id, parentId, namespace, tasks, values, metadata, createdAt } = checkpoint;
  const reference = (checkpointId: string): CheckpointReference => ({
    thread_id: threadId,
    checkpoint_id: checkpointId,
    checkpoint_ns: namespace,
    checkpoint_map: null,
  });
  return {
    values,
    next: nextOf(checkpoint),
    tasks: await Promise.all(
      tasks.map((task) => taskSnapshot(threadId, checkpoints, checkpoint.namespace, task, subgraphs)),
    ),
    metadata: { ...metadata, thread_id: threadId },
    created_at: createdAt,
    checkpoint: reference(id),
    parent_checkpoint: parentId === null ? null : reference(parentId),
    interrupts: tasks.flatMap(({ interrupts }) => interrupts),
  };
}

async function taskSnapshot(
  threadId: string,
  checkpoints: Checkpoints,
  namespace: string,
  task: Task,
  subgraphs: boolean,
): Promise<TaskSnapshot> {
  const { id, name, error, asked, path, result } = task;
  const interrupts = result === undefined ? task.interrupts : asked;
  const inner = [namespace, `${name}:${id}`].filter((part) => part !== "").join("|");
  const state = subgraphs && task.isSubgraph ? await checkpoints.get(inner) : undefined;
  return {
    id,
    name,
    error,
    interrupts,
    path,
    checkpoint: task.isSubgraph ? { thread_id: threadId, checkpoint_ns: inner } : null,
    state: state ? await snapshot(threadId, checkpoints, state, subgraphs) : null,
    result: result ?? null,
  };
}
