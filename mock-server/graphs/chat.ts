import { messages } from "../agent-server/engine/channels.ts";
import { type Message, textOf } from "../agent-server/engine/messages.ts";
import type { ScriptedGraph } from "../agent-server/engine/scripted-graph.ts";

/** Echoes the last message word by word, with a pause before each as set by `pause_ms` in the context. */
export const chat: ScriptedGraph = {
  id: "chat",
  description: "Echoes the last message, streaming it word by word.",
  channels: { messages: messages() },
  nodes: {
    async model({ messages: history }, node) {
      const last = (history as Message[]).at(-1);
      const words = textOf(last?.content ?? "").match(/\S+\s*/g) ?? ["(nothing)"];
      const pauseMs = typeof node.context.pause_ms === "number" ? node.context.pause_ms : 0;
      return { messages: [await node.say(["Echo: ", ...words], { pauseMs })] };
    },
  },
  edges: { __start__: "model" },
  context: {
    type: "object",
    properties: { pause_ms: { type: "number", description: "Milliseconds before each word.", default: 0 } },
  },
};
