import { lastValue } from "../agent-server/engine/channels.ts";
import type { ScriptedGraph } from "../agent-server/engine/scripted-graph.ts";
import { eventCount } from "./event-count.ts";

/** Waits for the given time, by the server's clock, and reports each step. */
export const delay: ScriptedGraph = {
  id: "delay",
  description: "Takes its time.",
  channels: {
    ms: lastValue(1000, { type: "number" }),
    steps: lastValue(1, { type: "integer" }),
    done: lastValue(0, { type: "integer" }),
  },
  nodes: {
    async wait({ ms, steps }, node) {
      const count = Math.max(1, eventCount("steps", steps));
      for (let step = 1; step <= count; step++) {
        await node.sleep(Number(ms) / count);
        node.write({ step, of: count });
      }
      return { done: count };
    },
  },
  edges: { __start__: "wait" },
};
