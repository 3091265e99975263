import { appended, lastValue } from "../agent-server/engine/channels.ts";
import type { ScriptedGraph } from "../agent-server/engine/scripted-graph.ts";

const inner: ScriptedGraph = {
  id: "inner",
  channels: { topic: lastValue("", { type: "string" }), findings: appended({ type: "string" }) },
  nodes: {
    search({ topic }, node) {
      node.write({ from: "search", topic });
      return { findings: [`found: ${topic}`] };
    },
    judge: ({ findings }) => ({ findings: [`judged: ${(findings as string[]).at(-1)}`] }),
  },
  edges: { __start__: "search", search: "judge" },
};

/** A graph with a subgraph, whose events have a namespace when `stream_subgraphs` is set. */
export const subgraph: ScriptedGraph = {
  id: "subgraph",
  description: "Delegates its work to a subgraph.",
  channels: {
    topic: lastValue("", { type: "string" }),
    findings: appended({ type: "string" }),
    summary: lastValue("", { type: "string" }),
  },
  nodes: {
    prepare: ({ topic }) => ({ topic: String(topic).trim() || "nothing" }),
    async research(state, node) {
      node.write({ from: "research" });
      return { topic: state.topic };
    },
    child: { graph: inner },
    summarize: ({ findings }) => ({ summary: `${(findings as string[]).length} findings` }),
  },
  edges: { __start__: "prepare", prepare: "research", research: "child", child: "summarize" },
};
