import { lastValue } from "../agent-server/engine/channels.ts";
import type { ScriptedGraph } from "../agent-server/engine/scripted-graph.ts";

/** Tells how far it is, in events of its own: a generator yields them. */
export const events: ScriptedGraph = {
  id: "events",
  description: "Sends events of its own while it works.",
  channels: { steps: lastValue(3, { type: "integer" }), done: lastValue(0, { type: "integer" }) },
  nodes: {
    async *work({ steps }) {
      const count = Number(steps);
      for (let step = 1; step <= count; step++) yield { custom: { step, of: count } };
      return { done: count };
    },
  },
  edges: { __start__: "work" },
};
