import type { ScriptedGraph } from "../agent-server/engine/scripted-graph.ts";
import { approval } from "./approval.ts";
import { burst } from "./burst.ts";
import { chat } from "./chat.ts";
import { delay } from "./delay.ts";
import { events } from "./events.ts";
import { failure } from "./failure.ts";
import { subgraph } from "./subgraph.ts";
import { tools } from "./tools.ts";

/** The default graphs of an agent server. `agent` is the echo under the name that most examples use. */
export const builtInGraphs: readonly ScriptedGraph[] = [
  { ...chat, id: "agent" },
  chat,
  tools,
  subgraph,
  events,
  approval,
  failure,
  delay,
  burst,
];

/** The built-in graphs and others; one with the id of a built-in graph replaces it. */
export function withBuiltInGraphs(graphs: readonly ScriptedGraph[]): ScriptedGraph[] {
  const ids = new Set(graphs.map(({ id }) => id));
  return [...builtInGraphs.filter(({ id }) => !ids.has(id)), ...graphs];
}
