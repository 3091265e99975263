import { isDeepStrictEqual } from "node:util";
import { timestamp } from "../../kit/timestamp.ts";
import type { AgentRuntime } from "../agent-runtime.ts";
import type { AssistantTable } from "../persistence/assistant-table.ts";
import type { AssistantRecord } from "../persistence/records.ts";
import type { Graphs } from "./graphs.ts";

interface DefaultAssistantsDependencies extends Pick<AgentRuntime, "clock"> {
  /** Not limited by access filters. */
  assistants: AssistantTable;
  graphs: Graphs;
}

/**
 * The assistants that the server creates for its graphs. Every caller who may start runs may use them, even one who may
 * not read them.
 */
export class DefaultAssistants {
  readonly #dependencies: DefaultAssistantsDependencies;

  constructor(dependencies: DefaultAssistantsDependencies) {
    this.#dependencies = dependencies;
  }

  /** The default assistant with this id, or of the graph with this id. */
  find(id: string): AssistantRecord | undefined {
    const { assistants, graphs } = this.#dependencies;
    const assistantId = graphs.assistantIdOf(id);
    return graphs.hasDefault(assistantId) ? assistants.get(assistantId) : undefined;
  }

  /**
   * Creates missing default assistants, and recreates those that nobody has modified after the defaults of their graphs
   * changed.
   */
  make(): void {
    const { assistants, graphs, clock } = this.#dependencies;
    const now = timestamp(clock.now());
    for (const { id: graphId, description, defaults } of graphs) {
      const assistantId = graphs.assistantIdOf(graphId);
      const { config, context } = defaults;
      const existing = assistants.get(assistantId);
      if (existing) {
        const isOutdated = !isDeepStrictEqual(
          { config, context },
          { config: existing.config, context: existing.context },
        );
        if (isOutdated && assistants.lastVersion(assistantId) === 1)
          assistants.replace({ ...existing, config, context });
        continue;
      }
      assistants.insert({
        assistant_id: assistantId,
        version: 1,
        created_at: now,
        updated_at: now,
        graph_id: graphId,
        config,
        context,
        metadata: { created_by: "system" },
        name: graphId,
        description,
      });
    }
  }
}
