import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { askByA2a } from "./ask-by-a2a.ts";
import { askByMcp } from "./ask-by-mcp.ts";

// The server that runs these graphs. Name another agent server's address to call its agents instead.
const own = (globalThis as Record<symbol, unknown>)[Symbol.for("langgraph_api:url")];
const url = process.env.AGENT_SERVER_URL ?? String(own);

const State = Annotation.Root({ text: Annotation<string>, byMcp: Annotation<string>, byA2a: Annotation<string> });

export const graph = new StateGraph(State)
  .addNode("mcp", async ({ text }) => ({ byMcp: await askByMcp(url, "translator", text) }))
  .addNode("a2a", async ({ text }) => ({ byA2a: await askByA2a(url, "translator", text) }))
  .addEdge(START, "mcp")
  .addEdge(START, "a2a")
  .addEdge("mcp", END)
  .addEdge("a2a", END)
  .compile();
