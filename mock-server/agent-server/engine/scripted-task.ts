import { toBothNames } from "../../../core/dialect.ts";
import { failureOf } from "../../kit/failure.ts";
import { forked } from "./checkpoint.ts";
import { type Destination, type Fields, GraphError, type Interrupt, type Outcome } from "./contract.ts";
import { digitsOfName } from "./identifiers.ts";
import { type Message, messagesIn } from "./messages.ts";
import type { MessageTold } from "./run-events.ts";
import type { Checkpoint, ScriptedExecution, Task } from "./scripted-execution.ts";
import {
  NodeCommand,
  type NodeContext,
  type NodeEmission,
  type NodeFunction,
  type ScriptedGraph,
} from "./scripted-graph.ts";

/** What has become of a task. */
export interface TaskOutcome {
  task: Task;
  goto: readonly Destination[];
  /** What it changes, one by one. */
  updates: (Fields | null)[];
  failure?: unknown;
}

/** Thrown in a node that has to wait for an answer. */
class NodeInterrupted extends Error {
  readonly interrupts: Interrupt[];

  constructor(interrupts: Interrupt[]) {
    super("The run waits for an answer.");
    this.interrupts = interrupts;
  }
}

/** Runs a graph to its end, or to an interrupt, in a namespace. */
export type RunGraph = (
  graph: ScriptedGraph,
  execution: ScriptedExecution,
  namespace: readonly string[],
) => Promise<Outcome>;

/**
 * Runs one node once. Never throws: a failure is an outcome.
 * @param runGraph for a node that is a graph
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
    const scope = new TaskScope(task, step, execution, namespace, input);
    const returned =
      typeof node === "function"
        ? await settle(node(input, scope.context()), scope)
        : await runSubgraph(runGraph, node.graph, task, input, execution, [...namespace, `${task.name}:${task.id}`]);
    const command = returned instanceof NodeCommand ? returned : undefined;
    const update = serializable(
      command ? (command.update ?? null) : ((returned as Fields | undefined) ?? null),
      task.name,
    );
    if (update) scope.tellMessages(update);
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

async function settle(result: ReturnType<NodeFunction>, scope: TaskScope): Promise<unknown> {
  if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result)) return result;
  const generator = result as AsyncGenerator<NodeEmission, unknown, void>;
  for (;;) {
    const { value, done } = await generator.next();
    if (done) return value === undefined ? scope.replyUpdate() : value;
    if ("token" in value) scope.tellToken(value.token);
    else scope.write(value.custom);
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

/** Where the graph within a task asked what the task's last answer is for; after the answer was given there before, a new checkpoint that asks it again. */
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

/** A copy of what a node returned, as it is kept and sent. */
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

/** What a node sees of its run, and what it tells. */
class TaskScope {
  readonly #task: Task;
  readonly #step: number;
  readonly #execution: ScriptedExecution;
  readonly #namespace: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #told = new Set<string>();
  #interrupts = 0;
  #reply: Message | undefined;

  constructor(task: Task, step: number, execution: ScriptedExecution, namespace: readonly string[], input: Fields) {
    this.#task = task;
    this.#step = step;
    this.#execution = execution;
    this.#namespace = namespace;
    this.#known = new Set(messagesIn(input ?? {}).map(({ id }) => id));
  }

  context(): NodeContext {
    const { config, context, runId, threadId, signal, store, uuid } = this.#execution;
    return {
      name: this.#task.name,
      config,
      context,
      runId,
      threadId,
      signal,
      store: {
        get: async (namespace, key) => (await store.get(namespace, key))?.value ?? null,
        put: (namespace, key, value) => store.put(namespace, key, value),
      },
      uuid,
      write: (data) => this.write(data),
      say: (tokens, options) => this.#say(tokens, options),
      callTool: (call, tool) => this.#callTool(call, tool),
      interrupt: (value) => this.#interrupt(value),
      sleep: (ms) => this.#execution.sleep(ms, signal),
    };
  }

  write(data: unknown): void {
    this.#execution.emit("custom", this.#namespace, data);
  }

  tellToken(token: string, tags: string[] = []): Message {
    this.#reply ??= emptyReply(`run-${this.#execution.uuid()}`);
    const { id } = this.#reply;
    const chunk = { ...emptyReply(id), content: token, tool_call_chunks: [] };
    this.#told.add(id);
    this.#tellMessage(chunk, { tags }, "chunk");
    this.#modelEvent("on_chat_model_stream", { chunk }, tags);
    this.#reply = { ...this.#reply, content: `${this.#reply.content}${token}` };
    return this.#reply;
  }

  /** The reply that tokens have made, for a node that returns nothing. */
  replyUpdate(): Fields | undefined {
    return this.#reply && { messages: [this.#reply] };
  }

  /** Tells of messages that nobody has heard of yet. */
  tellMessages(update: Fields): void {
    for (const message of messagesIn(update)) {
      if (this.#known.has(message.id)) continue;
      const kind = this.#told.has(message.id) ? "complete" : "whole";
      this.#tellMessage(message, { tags: [`graph:step:${this.#step}`], name: this.#task.name }, kind);
    }
  }

  #tellMessage(message: Message, extra: Fields, kind: MessageTold["kind"]): void {
    const namespace = [...this.#namespace, `${this.#task.name}:${this.#task.id}`].join("|");
    const metadata = {
      ...extra,
      ...this.#execution.metadata,
      ...toBothNames({
        graph_step: this.#step,
        graph_node: this.#task.name,
        graph_triggers: this.#task.triggers,
        graph_path: this.#task.path,
        graph_checkpoint_ns: namespace,
      }),
      checkpoint_ns: namespace,
    };
    this.#execution.emit("messages", this.#namespace, { message, metadata, kind } satisfies MessageTold);
  }

  async #say(
    tokens: readonly string[],
    { tags = [], pauseMs = 0 }: { tags?: string[]; pauseMs?: number } = {},
  ): Promise<Message> {
    this.#reply = emptyReply(`run-${this.#execution.uuid()}`);
    this.#modelEvent("on_chat_model_start", { input: {} }, tags);
    for (const token of tokens) {
      if (pauseMs > 0) await this.#execution.sleep(pauseMs, this.#execution.signal);
      this.#execution.signal.throwIfAborted();
      this.tellToken(token, tags);
    }
    const reply = this.#reply;
    this.#modelEvent("on_chat_model_end", { output: reply }, tags);
    this.#reply = undefined;
    return reply;
  }

  async #callTool(
    { id, name, args }: { id: string; name: string; args: Fields },
    tool: (args: Fields) => unknown,
  ): Promise<Message> {
    const tell = (data: Fields) => this.#execution.emit("tools", this.#namespace, data);
    tell({ event: "on_tool_start", toolCallId: id, name, input: JSON.stringify(args) });
    const content = await tool(args);
    const answer: Message = {
      status: "success",
      content: typeof content === "string" ? content : JSON.stringify(content),
      tool_call_id: id,
      name,
      additional_kwargs: {},
      response_metadata: {},
      id: this.#execution.uuid(),
      type: "tool",
    };
    tell({ event: "on_tool_end", toolCallId: id, name, output: answer });
    return answer;
  }

  #interrupt(value: unknown): unknown {
    const index = this.#interrupts++;
    if (index < this.#task.answers.length) return this.#task.answers[index];
    if (!this.#execution.checkpoints) {
      throw new GraphError("GraphValueError", "No checkpointer set: a run without a thread can't be interrupted.");
    }
    const id = digitsOfName(`${this.#task.id}/${index}`);
    throw new NodeInterrupted([{ id, value: JSON.parse(JSON.stringify(value ?? null)) }]);
  }

  #modelEvent(event: string, data: Fields, tags: string[]): void {
    const { runId, metadata } = this.#execution;
    const own = { ...metadata, ...toBothNames({ graph_node: this.#task.name, graph_step: this.#step }) };
    this.#execution.emit("events", this.#namespace, {
      event,
      data,
      name: "ScriptedChatModel",
      tags,
      run_id: runId,
      metadata: own,
      parent_ids: [],
    });
  }
}

function emptyReply(id: string): Message {
  return {
    content: "",
    additional_kwargs: {},
    response_metadata: {},
    tool_calls: [],
    invalid_tool_calls: [],
    id,
    type: "ai",
  };
}
