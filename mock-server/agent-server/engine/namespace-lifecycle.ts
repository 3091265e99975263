import type { Fields } from "./contract.ts";
import type { GraphEvent } from "./protocol-stream.ts";

/** Adds events of the channel `lifecycle` to those of a scripted graph, at the places where the library has them. */
export class NamespaceLifecycle {
  readonly #emit: (event: GraphEvent) => void;
  /** The namespaces that have started and not ended, by their path. */
  readonly #started = new Map<string, readonly string[]>();
  readonly #completing: (readonly string[])[] = [];

  constructor(emit: (event: GraphEvent) => void) {
    this.#emit = emit;
  }

  /** Emits an event; before it, the starts of the namespaces that it comes from, and the ends of those before it. */
  take(event: GraphEvent): void {
    this.#completeWaiting();
    for (let length = 1; length <= event.namespace.length; length++) this.#start(event.namespace.slice(0, length));
    this.#emit(event);
    if (event.method !== "tasks") return;
    const { id, name, result, error } = event.data as Fields;
    const task = [...event.namespace, `${name}:${id}`];
    if (result !== undefined && error === null && this.#started.has(task.join("|"))) this.#completing.push(task);
  }

  /** The run has ended: all that is left ends with it. */
  end(status: "completed" | "failed"): void {
    this.#completeWaiting();
    for (const namespace of this.#started.values()) this.#say(namespace, status);
    this.#started.clear();
  }

  #start(namespace: readonly string[]): void {
    const path = namespace.join("|");
    if (this.#started.has(path)) return;
    this.#started.set(path, namespace);
    this.#say(namespace, "started");
  }

  #completeWaiting(): void {
    for (const namespace of this.#completing.splice(0)) {
      this.#started.delete(namespace.join("|"));
      this.#say(namespace, "completed");
    }
  }

  #say(namespace: readonly string[], event: string): void {
    const graphName = (namespace.at(-1) as string).replace(/:.*$/, "");
    this.#emit({ method: "lifecycle", namespace, data: { event, graph_name: graphName } });
  }
}
