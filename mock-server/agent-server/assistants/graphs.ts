import { uuidOfName } from "../../../core/client/wire/agent-server.ts";
import { HttpError } from "../../kit/http/http-error.ts";
import type { Graph } from "../engine/contract.ts";

/** The id of a graph's default assistant: a version 5 UUID of the graph's name. */
export function defaultAssistantId(graphId: string): string {
  return uuidOfName(graphId);
}

/** The graphs of an agent server. A new revision replaces them. */
export class Graphs {
  #byId: ReadonlyMap<string, Graph> = new Map();
  #defaults: ReadonlySet<string> = new Set();

  /** Replaces all graphs. Runs in progress finish with the graphs they started with. */
  use(graphs: readonly Graph[]): void {
    this.#byId = new Map(graphs.map((graph) => [graph.id, graph]));
    this.#defaults = new Set(graphs.map(({ id }) => defaultAssistantId(id)));
  }

  [Symbol.iterator](): Iterator<Graph> {
    return this.#byId.values();
  }

  has(graphId: string): boolean {
    return this.#byId.has(graphId);
  }

  /** @throws {HttpError} 404 for an unknown graph, naming the known ones. */
  find(graphId: string): Graph {
    const graph = this.#byId.get(graphId);
    if (graph) return graph;
    throw new HttpError(404, `Graph ${graphId} not found. ${this.advice}`);
  }

  /** A sentence with the known graphs, for error messages. */
  get advice(): string {
    return `Graphs are: ${[...this.#byId.keys()].join(", ")}.`;
  }

  /** Whether an assistant is a default assistant. */
  hasDefault(assistantId: string): boolean {
    return this.#defaults.has(assistantId);
  }

  /** The id of an assistant, given its id or the name of a graph. */
  assistantIdOf(id: string): string {
    return this.has(id) ? defaultAssistantId(id) : id.toLowerCase();
  }
}
