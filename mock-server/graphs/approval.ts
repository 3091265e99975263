import { appended, lastValue } from "../agent-server/engine/channels.ts";
import type { ScriptedGraph } from "../agent-server/engine/scripted-graph.ts";

/** Asks for approval before it acts: the run is interrupted, and continues with `command: { resume: … }`. */
export const approval: ScriptedGraph = {
  id: "approval",
  description: "Waits for an approval.",
  channels: { log: appended({ type: "string" }), answer: lastValue(null) },
  nodes: {
    ask({ log }, node) {
      const answer = node.interrupt({ question: "approve?", log });
      return { answer, log: ["asked"] };
    },
    act: ({ answer }) => ({ log: [answer === false || answer === "no" ? "refused" : "done"] }),
  },
  edges: { __start__: "ask", ask: "act" },
};
