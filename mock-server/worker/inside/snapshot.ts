import type { StateSnapshot as LibrarySnapshot } from "@langchain/langgraph";
import type { CheckpointReference, Fields, StateSnapshot, TaskSnapshot } from "../../agent-server/engine/contract.ts";

interface Config {
  configurable?: Fields;
}

/** A client's reference to the checkpoint of a library's config; `null` when the config has none. */
export function referenceOf(config: Config | undefined): CheckpointReference | null {
  const {
    thread_id: threadId,
    checkpoint_id: id,
    checkpoint_ns: namespace,
    checkpoint_map: map,
  } = config?.configurable ?? {};
  if (typeof threadId !== "string" || typeof id !== "string") return null;
  return {
    thread_id: threadId,
    checkpoint_id: id,
    checkpoint_ns: typeof namespace === "string" ? namespace : "",
    checkpoint_map: (map as Fields | undefined) ?? null,
  };
}

/** A reference for the future checkpoints of a graph that has none yet. */
function placeOf({ configurable }: Config): CheckpointReference | null {
  const { thread_id: threadId, checkpoint_ns: namespace } = configurable ?? {};
  if (typeof threadId !== "string" || typeof namespace !== "string") return null;
  return { thread_id: threadId, checkpoint_id: "", checkpoint_ns: namespace, checkpoint_map: null };
}

/** A state as clients see it, except for its messages. */
export function snapshotView(state: LibrarySnapshot): StateSnapshot {
  const tasks = state.tasks.map(taskView);
  return {
    values: state.values,
    next: [...state.next],
    tasks,
    metadata: { ...state.metadata },
    created_at: state.createdAt ?? null,
    checkpoint: referenceOf(state.config) ?? placeOf(state.config),
    parent_checkpoint: referenceOf(state.parentConfig),
    interrupts: tasks.flatMap(({ interrupts }) => interrupts),
  };
}

type LibraryTask = LibrarySnapshot["tasks"][number];

function taskView(task: LibraryTask): TaskSnapshot {
  const { id, name, error, interrupts, path, state } = task;
  return {
    id,
    name,
    error: error === undefined || error === null ? null : messageOf(error),
    interrupts: interrupts as TaskSnapshot["interrupts"],
    path: (path ?? []) as TaskSnapshot["path"],
    checkpoint: state && !("values" in state) ? ((state.configurable as Fields | undefined) ?? null) : null,
    state: state && "values" in state ? snapshotView(state) : null,
    result: (task as { result?: unknown }).result ?? null,
  };
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  if (typeof error === "string") return error;
  const { message } = error as { message?: unknown };
  return typeof message === "string" ? message : JSON.stringify(error);
}
