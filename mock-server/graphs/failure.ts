import { lastValue } from "../agent-server/engine/channels.ts";
import type { ScriptedGraph } from "../agent-server/engine/scripted-graph.ts";

/** Fails with the given message. */
export const failure: ScriptedGraph = {
  id: "failure",
  description: "Fails.",
  channels: { message: lastValue("This graph always fails.", { type: "string" }) },
  nodes: {
    fail({ message }) {
      throw new TypeError(String(message));
    },
  },
  edges: { __start__: "fail" },
};
