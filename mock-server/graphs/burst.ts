import { lastValue } from "../agent-server/engine/channels.ts";
import type { ScriptedGraph } from "../agent-server/engine/scripted-graph.ts";
import { countTo, eventCount } from "./event-count.ts";

/** Sends `n` custom events as fast as it can. */
export const burst: ScriptedGraph = {
  id: "burst",
  description: "Sends many events at once.",
  channels: { n: lastValue(1000, { type: "integer" }) },
  nodes: {
    async send({ n }, node) {
      const count = eventCount("n", n);
      for await (const number of countTo(count, node.signal)) node.write({ i: number - 1 });
      return { n: count };
    },
  },
  edges: { __start__: "send" },
};
