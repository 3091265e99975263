import { toBothNames, toNeutralNames } from "../../../core/client/wire/conventions.ts";
import type { Fields } from "../../agent-server/engine/contract.ts";
import type { StreamMode } from "../../agent-server/engine/stream-mode.ts";
import { failureOf } from "../../kit/failure.ts";
import { checkpointView, debugView, taskView } from "./debug-events.ts";
import type { EventWriter } from "./event-writer.ts";
import type { Library } from "./library.ts";
import { MessageEvents } from "./message-events.ts";
import { wireJson } from "./wire-json.ts";

/** The modes that the library doesn't have. */
const ownModes: ReadonlySet<StreamMode> = new Set(["events", "messages", "lifecycle"]);

/** Converts the library's stream of a run to events of the run's stream modes. */
export class GraphEvents {
  readonly #modes: ReadonlySet<StreamMode>;
  readonly #withSubgraphs: boolean;
  readonly #writer: EventWriter;
  readonly #metadata = new WeakMap<object, string>();
  /** Present when the run has the mode `messages`. */
  readonly messages: MessageEvents | undefined;

  constructor(library: Library, modes: readonly StreamMode[], withSubgraphs: boolean, writer: EventWriter) {
    this.#modes = new Set(modes);
    this.#withSubgraphs = withSubgraphs;
    this.#writer = writer;
    this.messages = this.#modes.has("messages") ? new MessageEvents(library, writer) : undefined;
  }

  /** The stream modes for the library. Always includes the state, which is the outcome of the run. */
  libraryModes(): string[] {
    const modes = [...this.#modes].filter((mode) => !ownModes.has(mode));
    return [...new Set(["values", ...modes.map((mode) => (mode === "messages-tuple" ? "messages" : mode))])];
  }

  /** Converts a chunk of the library's stream. */
  take(namespace: readonly string[], mode: string, chunk: unknown): void {
    if (mode === "messages") {
      this.#writeMessage(namespace, chunk as [unknown, object]);
      return;
    }
    const data = this.#modes.has(mode as StreamMode) ? viewOf(mode, chunk) : undefined;
    if (data !== undefined) this.#write(mode as StreamMode, mode, namespace, data);
    if (mode === "values" && namespace.length === 0) this.messages?.stateChanged(chunk);
  }

  /** Converts an event of the library's event stream. */
  takeEvent(event: unknown): void {
    this.#write("events", "events", [], event);
  }

  #writeMessage(namespace: readonly string[], [message, metadata]: [unknown, object]): void {
    let json = this.#metadata.get(metadata);
    if (json === undefined) {
      json = wireJson(toBothNames(toNeutralNames(metadata as Fields)), "metadata");
      this.#metadata.set(metadata, json);
    }
    this.#writer.write("messages-tuple", named("messages", namespace), `[${wireJson(message, "message")},${json}]`);
  }

  #write(mode: StreamMode, event: string, namespace: readonly string[], data: unknown): void {
    let json: string;
    try {
      json = wireJson(data, mode);
    } catch (cause) {
      // A bad event must not end a run, so an error is sent instead.
      const { name, message } = failureOf(cause);
      json = JSON.stringify({ error: name, message });
    }
    this.#writer.write(mode, this.#withSubgraphs ? named(event, namespace) : event, json);
  }
}

function named(event: string, namespace: readonly string[]): string {
  return namespace.length === 0 ? event : `${event}|${namespace.join("|")}`;
}

function viewOf(mode: string, chunk: unknown): unknown {
  if (mode === "debug") return debugView(chunk);
  if (mode === "checkpoints") return checkpointView(chunk);
  if (mode === "tasks") return taskView(chunk as Fields);
  return chunk;
}
