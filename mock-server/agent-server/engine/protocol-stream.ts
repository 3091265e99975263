import type { Fields, Interrupt } from "./contract.ts";
import { eventJson } from "./event-json.ts";
import type { EventHead } from "./protocol-event.ts";

/** An event as the library's event stream of version 3 emits it. */
export interface GraphEvent {
  method: string;
  namespace: readonly string[];
  node?: string | undefined;
  /** Plain data. */
  data: unknown;
}

/** Sends an event; both arguments are JSON, the first of an {@link EventHead}. */
type Send = (head: string, data: string) => void;

const passedOn: ReadonlySet<string> = new Set(["messages", "tools", "checkpoints"]);

/** Turns the events of a graph into those of the streaming protocol, as clients see them. */
export class ProtocolStream {
  readonly #send: Send;
  readonly #requested = new Set<string>();
  /** Namespaces of tasks that wait for an answer. */
  readonly #interrupted = new Set<string>();

  constructor(send: Send) {
    this.#send = send;
  }

  take({ method, namespace, node, data }: GraphEvent): void {
    if (method === "lifecycle") this.#takeLifecycle(namespace, data as Fields);
    else if (method === "values") this.#takeValues(namespace, data);
    else if (method === "updates") this.#takeUpdates(namespace, data as Fields);
    else if (method === "tasks") this.#takeTask(namespace, data as Fields);
    else if (method === "custom") this.#takeCustom(namespace, data as Fields);
    else if (passedOn.has(method)) this.#emit({ method, namespace: [...namespace], ...(node ? { node } : {}) }, data);
    // What a graph's own transformers send.
    else this.#takeCustom(namespace, { name: method.replace(/^custom:/, ""), payload: data });
  }

  /** The start and the end of the graph itself are those of the run, which the server announces. */
  #takeLifecycle(namespace: readonly string[], data: Fields): void {
    if (namespace.length === 0) return;
    const isInterrupted = data.event === "completed" && this.#interrupted.delete(namespace.join("|"));
    this.#emit(
      { method: "lifecycle", namespace: [...namespace] },
      isInterrupted ? { ...data, event: "interrupted" } : data,
    );
  }

  #takeValues(namespace: readonly string[], data: unknown): void {
    let values = data;
    if (typeof data === "object" && data !== null && "__interrupt__" in data) {
      const { __interrupt__: interrupts, ...rest } = data;
      this.#request(namespace, interrupts as Interrupt[]);
      values = rest;
    }
    const isEmpty = typeof values === "object" && values !== null && Object.keys(values).length === 0;
    if (!isEmpty) this.#emit({ method: "values", namespace: [...namespace] }, compact(values));
  }

  #takeUpdates(namespace: readonly string[], { node, values }: Fields): void {
    if (node === "__interrupt__") this.#request(namespace, values as Interrupt[]);
    else {
      const named = typeof node === "string" ? { node } : {};
      this.#emit({ method: "updates", namespace: [...namespace], ...named }, compact(values));
    }
  }

  #takeTask(namespace: readonly string[], data: Fields): void {
    const { id, name, interrupts } = data;
    if (Array.isArray(interrupts) && interrupts.length > 0) {
      this.#interrupted.add([...namespace, `${name}:${id}`].join("|"));
    }
    this.#emit({ method: "tasks", namespace: [...namespace] }, data);
  }

  #takeCustom(namespace: readonly string[], data: Fields): void {
    const named = typeof data.name === "string" ? { name: data.name } : {};
    this.#emit({ method: "custom", namespace: [...namespace], ...named }, data);
  }

  /** An interrupt of a subgraph is one of the graphs around it too, and is announced once. */
  #request(namespace: readonly string[], interrupts: readonly Interrupt[]): void {
    for (const { id, value } of interrupts) {
      if (id === undefined || this.#requested.has(id)) continue;
      this.#requested.add(id);
      // The clients of JavaScript read `payload`, and Python's read `value`.
      const data = { interrupt_id: id, payload: value, value };
      this.#emit({ method: "input.requested", namespace: [...namespace] }, data);
    }
  }

  #emit(head: EventHead, data: unknown): void {
    this.#send(JSON.stringify(head), eventJson(data));
  }
}

const messageTypes: ReadonlySet<unknown> = new Set(["human", "ai", "system", "tool", "function", "remove"]);

/** Fields of messages that are left out where they are empty, or can be read off others. */
const emptyFields = ["additional_kwargs", "response_metadata", "tool_calls", "invalid_tool_calls"];

/**
 * A state or an update with its messages as the development server sends them: without empty fields. Unlike there,
 * `additional_kwargs` that aren't empty stay, so that nothing is lost.
 */
function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value);
  if ("content" in value && "type" in value && messageTypes.has(value.type)) {
    return Object.fromEntries(
      fields.filter(([name, field]) => name !== "content_blocks" && !(emptyFields.includes(name) && isEmpty(field))),
    );
  }
  return Object.fromEntries(fields.map(([name, field]) => [name, compact(field)]));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
