import { timestamp } from "../../kit/timestamp.ts";
import { pendingTasks } from "./checkpoint.ts";
import type { Fields, Interrupt } from "./contract.ts";
import { type Message, messagesIn } from "./messages.ts";
import type { Checkpoint, EngineMode, ScriptedExecution, Task } from "./scripted-execution.ts";
import { shownConfigurable } from "./shown-configurable.ts";

/**
 * The data of the engine mode `messages`: a chunk of a reply, a reply that was streamed in chunks and is now complete,
 * a whole message, or one of the input.
 */
export interface StreamedMessage {
  kind: "chunk" | "complete" | "whole" | "input";
  message: Message;
  metadata: Fields;
}

/** Emits the events of a run. */
export class RunEvents {
  readonly #execution: ScriptedExecution;
  readonly #name: string;
  readonly #namespace: readonly string[];

  constructor(execution: ScriptedExecution, name: string, namespace: readonly string[]) {
    this.#execution = execution;
    this.#name = name;
    this.#namespace = namespace;
  }

  runStarts(input: unknown): void {
    this.#chainEvent("on_chain_start", this.#name, { input }, []);
  }

  runEnds(output: Fields): void {
    this.#chainEvent("on_chain_end", this.#name, { output }, []);
  }

  /** The input was applied to the state; its messages count as messages of the run. */
  inputApplied(values: Fields): void {
    if (this.#namespace.length > 0) return;
    for (const message of messagesIn(values)) {
      this.#emit("messages", { kind: "input", message, metadata: this.#execution.metadata } satisfies StreamedMessage);
    }
  }

  stateChanged(values: Fields, { id, parentId, step, source }: Checkpoint): void {
    const parent = parentId === null ? {} : { parent_id: parentId };
    if (this.#execution.checkpoints) this.#emit("envelopes", { id, ...parent, step, source });
    this.#emit("values", values);
    this.#chainEvent("on_chain_stream", this.#name, { chunk: values }, []);
  }

  checkpointMade(checkpoint: Checkpoint): void {
    const { checkpoints, threadId, config, metadata } = this.#execution;
    if (!checkpoints) return;
    const { source, step, values, tasks } = checkpoint;
    const next = tasks.map(({ name }) => name);
    const own = { source, step, parents: {} };
    const at = (id: string) => ({
      thread_id: threadId,
      checkpoint_id: id,
      checkpoint_ns: checkpoint.namespace,
      checkpoint_map: null,
    });
    const configOf = (id: string) => ({
      ...config,
      configurable: {
        ...shownConfigurable((config.configurable ?? {}) as Fields),
        thread_id: threadId,
        checkpoint_ns: checkpoint.namespace,
        checkpoint_id: id,
      },
      metadata,
    });
    const view = {
      config: configOf(checkpoint.id),
      parent_config: checkpoint.parentId === null ? null : configOf(checkpoint.parentId),
      values,
      metadata: own,
      next,
      tasks: tasks.map(({ id, name, path }) => ({
        id,
        name,
        path,
        error: null,
        interrupts: [],
        checkpoint: null,
        state: null,
      })),
    };
    this.#emit("checkpoints", view);
    this.#debug("checkpoint", step, {
      ...view,
      checkpoint: at(checkpoint.id),
      parent_checkpoint: checkpoint.parentId === null ? null : at(checkpoint.parentId),
    });
  }

  taskStarts(task: Task, step: number, input: unknown): void {
    const { id, name, triggers } = task;
    const payload = { id, name, input, triggers, interrupts: [], metadata: this.#execution.metadata };
    this.#emit("tasks", payload);
    this.#debug("task", step, payload);
    this.#chainEvent("on_chain_start", name, { input }, [`graph:step:${step}`]);
  }

  taskEnds(task: Task, step: number, updates: readonly (Fields | null)[]): void {
    const { id, name, result, interrupts, error } = task;
    for (const update of updates) this.#emit("updates", { [name]: update });
    if (interrupts.length > 0) this.#emit("questions", interrupts);
    const payload = { id, name, result: result ?? {}, interrupts, error };
    this.#emit("tasks", payload);
    this.#debug("task_result", step, payload);
    if (result !== undefined) this.#chainEvent("on_chain_end", name, { output: result }, [`graph:step:${step}`]);
  }

  paused(interrupts: Interrupt[]): void {
    const data = { __interrupt__: interrupts };
    this.#emit("updates", data);
    this.#emit("values", data);
  }

  #debug(type: string, step: number, payload: Fields): void {
    this.#emit("debug", { step, type, timestamp: timestamp(this.#execution.now()), payload });
  }

  #chainEvent(event: string, name: string, data: Fields, tags: string[]): void {
    const { runId, metadata } = this.#execution;
    this.#emit("events", { event, data, name, tags, run_id: runId, metadata, parent_ids: [] });
  }

  #emit(mode: EngineMode, data: unknown): void {
    this.#execution.emit(mode, this.#namespace, data);
  }
}

/** The names of the pending tasks of a checkpoint or, when none is pending, of those that ran after it. */
export function nextOf(checkpoint: Checkpoint): string[] {
  const pending = pendingTasks(checkpoint);
  return (pending.length > 0 ? pending : checkpoint.tasks).map(({ name }) => name);
}
