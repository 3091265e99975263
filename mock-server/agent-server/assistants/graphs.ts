import { HttpError } from "../../kit/http/http-error.ts";
import type { Graph } from "../engine/contract.ts";
import { uuidOfName } from "../engine/identifiers.ts";

/** The id of a graph's default assistant: a version 5 UUID of its name. */
export function defaultAssistantId(graphId: string): string {
  return uuidOfName(graphId);
}

/** The graphs of an agent server, which are others once another revision serves. */
export class Graphs {
  #byId: ReadonlyMap<string, Graph> = new Map();
  #defaults: ReadonlySet<string> = new Set();

  /** Replaces all of them. Runs under way continue with the graphs that they were started with. */
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

  /** @throws {HttpError} 404 when the server has no such graph. */
  find(graphId: string): Graph {
    const graph = this.#byId.get(graphId);
    if (graph) return graph;
    throw new HttpError(404, `Graph ${graphId} not found. ${this.advice}`);
  }

  /** For a client that asked for what isn't there. */
  get advice(): string {
    return `Graphs are: ${[...this.#byId.keys()].join(", ")}.`;
  }

  /** Whether an assistant is the default one of a graph. */
  hasDefault(assistantId: string): boolean {
    return this.#defaults.has(assistantId);
  }

  /** The id of the assistant that a client names by it, or by the name of a graph. */
  assistantIdOf(id: string): string {
    return this.has(id) ? defaultAssistantId(id) : id.toLowerCase();
  }
}
