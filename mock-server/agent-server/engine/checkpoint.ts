import { uuidOfName } from "../../../core/client/wire/agent-server.ts";
import { timestamp } from "../../kit/timestamp.ts";
import { type Destination, type Fields, GraphError } from "./contract.ts";
import { orderedUuid } from "./identifiers.ts";
import type { Checkpoint, Task } from "./scripted-execution.ts";
import { end, type ScriptedGraph, start } from "./scripted-graph.ts";

export interface CheckpointParts {
  graph: ScriptedGraph;
  parent: Checkpoint | undefined;
  namespace: string;
  source: Checkpoint["source"];
  step: number;
  values: Fields;
  next: readonly Destination[];
  metadata: Fields;
  runId: string | null;
  now: number;
  random: string;
}

/** @throws {GraphError} when `next` names a node that the graph doesn't have. */
export function makeCheckpoint(parts: CheckpointParts): Checkpoint {
  const { graph, parent, namespace, source, step, values, metadata, runId, now, random } = parts;
  const id = orderedUuid(now, random);
  return {
    id,
    parentId: parent?.id ?? null,
    namespace,
    source,
    step,
    values,
    tasks: makeTasks(graph, id, parts.next),
    metadata: { ...metadata, source, step, parents: {} },
    createdAt: timestamp(now),
    runId,
  };
}

function makeTasks(graph: ScriptedGraph, checkpointId: string, next: readonly Destination[]): Task[] {
  const tasks: Task[] = [];
  for (const destination of next) {
    const isSent = typeof destination !== "string";
    const name = isSent ? destination.node : destination;
    if (name === end) continue;
    if (!isSent && tasks.some((task) => task.name === name && task.input === undefined)) continue;
    const node = Object.hasOwn(graph.nodes, name) ? graph.nodes[name] : undefined;
    if (!node && name !== start) throw new GraphError("InvalidUpdateError", `The graph has no node "${name}".`);
    tasks.push({
      id: uuidOfName(`${checkpointId}/${tasks.length}/${name}`),
      name,
      path: isSent ? ["__pregel_push", tasks.length] : ["__pregel_pull", name],
      triggers: isSent ? ["__pregel_push"] : [`branch:to:${name}`],
      ...(isSent ? { input: { value: destination.input } } : {}),
      error: null,
      interrupts: [],
      asked: [],
      answers: [],
      isSubgraph: node !== undefined && typeof node !== "function",
    });
  }
  return tasks;
}

/** The tasks of a checkpoint that haven't finished. */
export function pendingTasks(checkpoint: Checkpoint): Task[] {
  return checkpoint.tasks.filter((task) => task.result === undefined);
}

/** A checkpoint without the results of its tasks, to fork from. */
export function reopened(checkpoint: Checkpoint): Checkpoint {
  const tasks = checkpoint.tasks.map(({ result: _, ...task }) => ({
    ...task,
    error: null,
    interrupts: task.asked.slice(0, 1),
    asked: task.asked.slice(0, 1),
    answers: [],
  }));
  return { ...checkpoint, tasks };
}

/**
 * A fork of a checkpoint whose interrupts are to be resumed again: it has the same tasks, as they were at their first
 * interrupt.
 */
export function forked(
  checkpoint: Checkpoint,
  { runId, now, random }: Pick<CheckpointParts, "runId" | "now" | "random">,
): Checkpoint {
  const step = checkpoint.step + 1;
  return {
    ...reopened(checkpoint),
    id: orderedUuid(now, random),
    parentId: checkpoint.id,
    source: "fork",
    step,
    metadata: { ...checkpoint.metadata, source: "fork", step },
    createdAt: timestamp(now),
    runId,
  };
}

/** A checkpoint with other tasks. */
export function withTasks(checkpoint: Checkpoint, tasks: Task[]): Checkpoint {
  return { ...checkpoint, tasks };
}
