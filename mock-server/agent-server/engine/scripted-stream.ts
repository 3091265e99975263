import type { Execution } from "./contract.ts";
import { eventJson } from "./event-json.ts";
import type { StreamedMessage } from "./run-events.ts";
import type { EngineMode } from "./scripted-execution.ts";
import type { StreamMode } from "./stream-mode.ts";

/** Converts the events of a scripted graph to those of the run's stream modes. */
export class ScriptedStream {
  readonly #modes: ReadonlySet<StreamMode>;
  readonly #withSubgraphs: boolean;
  readonly #send: Execution["publish"];
  readonly #replies = new Map<string, string>();
  readonly #completed = new Set<string>();

  constructor({ streamModes, streamSubgraphs, publish }: Execution) {
    this.#modes = new Set(streamModes);
    this.#withSubgraphs = streamSubgraphs;
    this.#send = publish;
  }

  take(mode: EngineMode, namespace: readonly string[], data: unknown): void {
    if (mode === "envelopes" || mode === "questions") return;
    const isHidden = namespace.length > 0 && !this.#withSubgraphs;
    if (mode !== "messages") {
      if (!isHidden || mode === "events" || mode === "tools") this.#publish(mode, mode, namespace, data);
      return;
    }
    const update = data as StreamedMessage;
    this.#streamAccumulated(update, this.#withSubgraphs ? namespace : []);
    if (!isHidden && (update.kind === "chunk" || update.kind === "whole")) {
      this.#publish("messages-tuple", "messages", namespace, [update.message, update.metadata]);
    }
  }

  /** The mode `messages`: each reply as far as it has been streamed. */
  #streamAccumulated({ kind, message, metadata }: StreamedMessage, namespace: readonly string[]): void {
    const { id } = message;
    if (kind === "chunk") {
      const before = this.#replies.get(id);
      if (before === undefined) this.#publish("messages", "messages/metadata", namespace, { [id]: { metadata } });
      const content = `${before ?? ""}${message.content}`;
      this.#replies.set(id, content);
      this.#publish("messages", "messages/partial", namespace, [{ ...message, content }]);
      return;
    }
    if (this.#completed.has(id)) return;
    this.#completed.add(id);
    this.#publish("messages", "messages/complete", namespace, [message]);
  }

  #publish(mode: StreamMode, event: string, namespace: readonly string[], data: unknown): void {
    if (!this.#modes.has(mode)) return;
    const name = namespace.length === 0 || !this.#withSubgraphs ? event : `${event}|${namespace.join("|")}`;
    this.#send(mode, name, eventJson(data));
  }
}
