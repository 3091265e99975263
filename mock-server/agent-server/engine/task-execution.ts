import { setImmediate } from "node:timers/promises";
import { toBothNames } from "../../../core/client/wire/conventions.ts";
import { type Fields, GraphError, type Interrupt } from "./contract.ts";
import { digitsOfName } from "./identifiers.ts";
import { type Message, messagesIn } from "./messages.ts";
import type { StreamedMessage } from "./run-events.ts";
import type { ScriptedExecution, Task } from "./scripted-execution.ts";
import type { NodeContext } from "./scripted-graph.ts";

/** Thrown in a node that waits for an answer. */
export class NodeInterrupted extends Error {
  readonly interrupts: Interrupt[];

  constructor(interrupts: Interrupt[]) {
    super("The run waits for an answer.");
    this.interrupts = interrupts;
  }
}

/**
 * Characters that a node may stream before it yields to other tasks: some stream modes send the whole message with each
 * token.
 */
const maxTurnLength = 64 * 1024;

/** The execution of one task: provides the node's context and emits its events. */
export class TaskExecution {
  readonly #task: Task;
  readonly #step: number;
  readonly #execution: ScriptedExecution;
  readonly #namespace: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #streamed = new Set<string>();
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

  streamToken(token: string, tags: string[] = []): Message {
    this.#reply ??= emptyReply(`run-${this.#execution.uuid()}`);
    const { id } = this.#reply;
    const chunk = { ...emptyReply(id), content: token, tool_call_chunks: [] };
    this.#streamed.add(id);
    this.#emitMessage(chunk, { tags }, "chunk");
    this.#modelEvent("on_chat_model_stream", { chunk }, tags);
    this.#reply = { ...this.#reply, content: `${this.#reply.content}${token}` };
    return this.#reply;
  }

  /** The reply that the streamed tokens form, for a node that returns nothing. */
  replyUpdate(): Fields | undefined {
    return this.#reply && { messages: [this.#reply] };
  }

  /** Emits the messages of an update that were not in the input; those that were streamed as complete. */
  streamMessages(update: Fields): void {
    for (const message of messagesIn(update)) {
      if (this.#known.has(message.id)) continue;
      const kind = this.#streamed.has(message.id) ? "complete" : "whole";
      this.#emitMessage(message, { tags: [`graph:step:${this.#step}`], name: this.#task.name }, kind);
    }
  }

  #emitMessage(message: Message, extra: Fields, kind: StreamedMessage["kind"]): void {
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
    const data: StreamedMessage = { message, metadata, kind };
    this.#execution.emit("messages", this.#namespace, data, this.#task.name);
  }

  async #say(
    tokens: readonly string[],
    { tags = [], pauseMs = 0 }: { tags?: string[]; pauseMs?: number } = {},
  ): Promise<Message> {
    this.#reply = emptyReply(`run-${this.#execution.uuid()}`);
    this.#modelEvent("on_chat_model_start", { input: {} }, tags);
    let reply = this.#reply;
    let turnLength = 0;
    for (const token of tokens) {
      if (pauseMs > 0) await this.#execution.sleep(pauseMs, this.#execution.signal);
      this.#execution.signal.throwIfAborted();
      reply = this.streamToken(token, tags);
      turnLength += String(reply.content).length;
      if (turnLength < maxTurnLength) continue;
      turnLength = 0;
      await setImmediate();
    }
    this.#modelEvent("on_chat_model_end", { output: reply }, tags);
    this.#reply = undefined;
    return reply;
  }

  async #callTool(
    { id, name, args }: { id: string; name: string; args: Fields },
    tool: (args: Fields) => unknown,
  ): Promise<Message> {
    const emit = (data: Fields) => this.#execution.emit("tools", this.#namespace, data, this.#task.name);
    emit({ event: "on_tool_start", toolCallId: id, name, input: JSON.stringify(args) });
    const content = await tool(args);
    const result: Message = {
      status: "success",
      content: typeof content === "string" ? content : JSON.stringify(content),
      tool_call_id: id,
      name,
      additional_kwargs: {},
      response_metadata: {},
      id: this.#execution.uuid(),
      type: "tool",
    };
    emit({ event: "on_tool_end", toolCallId: id, name, output: result });
    return result;
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
