import { lastValue } from "../agent-server/engine/channels.ts";
import type { ScriptedGraph } from "../agent-server/engine/scripted-graph.ts";

/** Sends events of its own as fast as it can: `n` of them. */
export const burst: ScriptedGraph = {
  id: "burst",
  description: "Sends many events at once.",
  channels: { n: lastValue(1000, { type: "integer" }) },
  nodes: {
    send({ n }, node) {
      const count = Number(n);
      for (let index = 0; index < count; index++) node.write({ i: index });
      return { n: count };
    },
  },
  edges: { __start__: "send" },
};
