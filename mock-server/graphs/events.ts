import { lastValue } from "../agent-server/engine/channels.ts";
import type { ScriptedGraph } from "../agent-server/engine/scripted-graph.ts";
import { countTo, eventCount } from "./event-count.ts";

/** Reports its progress in custom events, which a generator yields. */
export const events: ScriptedGraph = {
  id: "events",
  description: "Sends custom events while it works.",
  channels: { steps: lastValue(3, { type: "integer" }), done: lastValue(0, { type: "integer" }) },
  nodes: {
    async *work({ steps }, { signal }) {
      const count = eventCount("steps", steps);
      for await (const step of countTo(count, signal)) yield { custom: { step, of: count } };
      return { done: count };
    },
  },
  edges: { __start__: "work" },
};
