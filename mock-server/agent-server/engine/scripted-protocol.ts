import type { Execution, Fields } from "./contract.ts";
import type { Message } from "./messages.ts";
import { NamespaceLifecycle } from "./namespace-lifecycle.ts";
import { ProtocolStream } from "./protocol-stream.ts";
import type { StreamedMessage } from "./run-events.ts";
import type { EngineMode } from "./scripted-execution.ts";

/** The tool events of the streaming protocol, by the names of the stream mode `tools`. */
const toolEvents: Record<string, string> = { on_tool_start: "tool-started", on_tool_end: "tool-finished" };

/**
 * Emits the events of a scripted graph as those of the streaming protocol. Messages and tools have the namespace of
 * their graph, as in the Python library, whose client reads them there. (In the JavaScript library they have that of
 * their task, as if it were a subgraph.)
 */
export class ScriptedProtocol {
  readonly #lifecycle: NamespaceLifecycle;
  /** The text so far of the replies that are being streamed, by id. */
  readonly #replies = new Map<string, string>();

  constructor(publish: Execution["publish"]) {
    const stream = new ProtocolStream((head, data) => publish("protocol", head, data));
    this.#lifecycle = new NamespaceLifecycle((event) => stream.take(event));
  }

  /** `node` is that which the event comes from, if it comes from inside of one. */
  take(mode: EngineMode, namespace: readonly string[], data: unknown, node?: string): void {
    if (mode === "messages") this.#takeMessage(namespace, node, data as StreamedMessage);
    else if (mode === "tools") this.#takeTool(namespace, node, data as Fields);
    else if (mode === "envelopes") this.#lifecycle.take({ method: "checkpoints", namespace, data });
    else if (mode === "questions") this.#lifecycle.take({ method: "updates", namespace, data: questions(data) });
    else if (mode === "updates") this.#takeUpdate(namespace, data as Fields);
    else if (mode === "custom") this.#lifecycle.take({ method: "custom", namespace, data: customData(data) });
    else if (mode === "values" || mode === "tasks") this.#lifecycle.take({ method: mode, namespace, data });
  }

  end(status: "completed" | "failed"): void {
    this.#lifecycle.end(status);
  }

  #takeUpdate(namespace: readonly string[], data: Fields): void {
    for (const [node, values] of Object.entries(data)) {
      // As the library shows the update of a node that returns nothing.
      this.#lifecycle.take({ method: "updates", namespace, data: { node, values: values ?? { value: values } } });
    }
  }

  #takeTool(
    namespace: readonly string[],
    node: string | undefined,
    { event, toolCallId, name, input, output }: Fields,
  ): void {
    // An object as in the Python library, not its JSON.
    const own = event === "on_tool_start" ? { tool_name: name, input: JSON.parse(input as string) } : { output };
    const data = { event: toolEvents[String(event)], tool_call_id: toolCallId, ...own };
    this.#lifecycle.take({ method: "tools", namespace, node, data });
  }

  #takeMessage(namespace: readonly string[], node: string | undefined, { kind, message }: StreamedMessage): void {
    if (kind === "input" || message.type === "tool") return;
    const say = (data: Fields) => this.#lifecycle.take({ method: "messages", namespace, node, data });
    const { id, content } = message;
    const text = String(content);
    if (!this.#replies.has(id)) {
      const role = message.type === "ai" ? {} : { role: message.type };
      say({ event: "message-start", id, ...role });
      this.#replies.set(id, "");
    }
    if (kind !== "complete" && text !== "") {
      const before = this.#replies.get(id);
      if (before === "") say({ event: "content-block-start", index: 0, content: { type: "text", text: "" } });
      say({ event: "content-block-delta", index: 0, delta: { type: "text-delta", text } });
      this.#replies.set(id, `${before}${text}`);
    }
    if (kind !== "chunk") this.#finish(message, say);
  }

  #finish({ id }: Message, say: (data: Fields) => void): void {
    const text = this.#replies.get(id) ?? "";
    this.#replies.delete(id);
    if (text !== "") say({ event: "content-block-finish", index: 0, content: { type: "text", text } });
    say({ event: "message-finish", reason: "stop" });
  }
}

/** What the library emits for interrupts. */
function questions(interrupts: unknown): Fields {
  return { node: "__interrupt__", values: interrupts };
}

/** The data of an event `custom`: what a node writes, unless that is named. */
function customData(written: unknown): Fields {
  const isNamed = typeof written === "object" && written !== null && !Array.isArray(written) && "name" in written;
  return isNamed ? (written as Fields) : { payload: written };
}
