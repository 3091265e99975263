import { failureOf } from "../../kit/failure.ts";
import { forked } from "./checkpoint.ts";
import { type Destination, type Fields, GraphError, type Interrupt, type Outcome } from "./contract.ts";
import type { Checkpoint, ScriptedExecution, Task } from "./scripted-execution.ts";
import { NodeCommand, type NodeEmission, type NodeFunction, type ScriptedGraph } from "./scripted-graph.ts";
import { NodeInterrupted, TaskExecution } from "./task-execution.ts";

export interface TaskOutcome {
  task: Task;
  goto: readonly Destination[];
  /** The updates that the task made. */
  updates: (Fields | null)[];
  failure?: unknown;
}

/** Runs a graph in a namespace until it finishes or is interrupted. */
export type RunGraph = (
  graph: ScriptedGraph,
  execution: ScriptedExecution,
  namespace: readonly string[],
) => Promise<Outcome>;

/**
 * Executes one task. Never throws: failures are part of the outcome.
 * @param runGraph runs the subgraph where the node is one
 */
export async function runTask(
  graph: ScriptedGraph,
  task: Task,
  input: Fields,
  step: number,
  execution: ScriptedExecution,
  namespace: readonly string[],
  runGraph: RunGraph,
): Promise<TaskOutcome> {
  try {
    const node = graph.nodes[task.name] as ScriptedGraph["nodes"][string];
    const running = new TaskExecution(task, step, execution, namespace, input);
    const returned =
      typeof node === "function"
        ? await settle(node(input, running.context()), running)
        : await runSubgraph(runGraph, node.graph, task, input, execution, [...namespace, `${task.name}:${task.id}`]);
    const command = returned instanceof NodeCommand ? returned : undefined;
    const update = serializable(
      command ? (command.update ?? null) : ((returned as Fields | undefined) ?? null),
      task.name,
    );
    if (update) running.streamMessages(update);
    return {
      task: { ...task, interrupts: [], error: null, result: update },
      goto: command?.goto ?? [],
      updates: [update],
    };
  } catch (thrown) {
    if (thrown instanceof NodeInterrupted) {
      const asked = [...task.asked.slice(0, task.answers.length), ...thrown.interrupts];
      return { task: { ...task, interrupts: thrown.interrupts, asked }, goto: [], updates: [] };
    }
    const { name, message } = failureOf(thrown);
    const error = thrown instanceof Error ? `${name}: ${message}` : message;
    return { task: { ...task, error }, goto: [], updates: [], failure: thrown ?? new Error(error) };
  }
}

async function settle(result: ReturnType<NodeFunction>, running: TaskExecution): Promise<unknown> {
  if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result)) return result;
  const generator = result as AsyncGenerator<NodeEmission, unknown, void>;
  for (;;) {
    const { value, done } = await generator.next();
    if (done) return value === undefined ? running.replyUpdate() : value;
    if ("token" in value) running.streamToken(value.token);
    else running.write(value.custom);
  }
}

async function runSubgraph(
  runGraph: RunGraph,
  graph: ScriptedGraph,
  task: Task,
  input: Fields,
  execution: ScriptedExecution,
  namespace: readonly string[],
): Promise<Fields> {
  const from = await askingCheckpoint(task, execution, namespace.join("|"));
  const isAnswered = from !== undefined;
  const { values, interrupts } = await runGraph(
    graph,
    {
      ...execution,
      from,
      input: isAnswered ? null : input,
      command: isAnswered ? { resume: task.answers.at(-1) } : null,
      interruptBefore: [],
      interruptAfter: [],
    },
    namespace,
  );
  if (interrupts) throw new NodeInterrupted(interrupts);
  return values;
}

/**
 * The subgraph's checkpoint whose interrupt the task's last resume value belongs to. Where that was resumed before, a fork
 * in which it is open again.
 */
async function askingCheckpoint(
  { asked, answers }: Task,
  { checkpoints, runId, now, uuid }: ScriptedExecution,
  namespace: string,
): Promise<Checkpoint | undefined> {
  const question = asked[answers.length - 1]?.id;
  if (question === undefined || !checkpoints) return undefined;
  const kept = await checkpoints.list(namespace);
  const asks = (interrupts: readonly Interrupt[]) => interrupts.some(({ id }) => id === question);
  const waiting = kept.find(({ tasks }) => tasks.some(({ interrupts }) => asks(interrupts)));
  if (waiting) return waiting;
  const answered = kept.find(({ tasks }) => tasks.some((task) => asks(task.asked)));
  return answered && forked(answered, { runId, now: now(), random: uuid() });
}

/**
 * A copy of a node's result, as it is stored and sent.
 * @throws {GraphError} for one that isn't an object or can't be serialized.
 */
function serializable(value: unknown, node: string): Fields | null {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new GraphError(
      "TypeError",
      `Node "${node}" returned what can't be sent as JSON: ${(cause as Error).message}`,
    );
  }
  const copy: unknown = text === undefined ? undefined : JSON.parse(text);
  if (copy === null || (typeof copy === "object" && !Array.isArray(copy))) return copy as Fields | null;
  throw new GraphError(
    "InvalidUpdateError",
    `Node "${node}" must return an object with fields of the state, or nothing.`,
  );
}
