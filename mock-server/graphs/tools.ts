import { messages } from "../agent-server/engine/channels.ts";
import { type Message, textOf } from "../agent-server/engine/messages.ts";
import type { ScriptedGraph } from "../agent-server/engine/scripted-graph.ts";

/** Looks up the weather of the place in the last message with a tool. */
export const tools: ScriptedGraph = {
  id: "tools",
  description: "Calls a tool and reports its result.",
  channels: { messages: messages() },
  nodes: {
    plan({ messages: history }, node) {
      const city = textOf((history as Message[]).at(-1)?.content ?? "").trim() || "Paris";
      const call = { id: `call_${node.uuid()}`, name: "weather", args: { city }, type: "tool_call" };
      return { messages: [{ type: "ai", id: node.uuid(), content: "", tool_calls: [call], invalid_tool_calls: [] }] };
    },
    async tools({ messages: history }, node) {
      const calls = ((history as Message[]).at(-1)?.tool_calls ?? []) as {
        id: string;
        name: string;
        args: { city: string };
      }[];
      const answers = [];
      for (const call of calls) {
        answers.push(await node.callTool(call, ({ city }) => `sunny in ${city}`));
      }
      return { messages: answers };
    },
    async report({ messages: history }, node) {
      const words = textOf((history as Message[]).at(-1)?.content ?? "").match(/\S+\s*/g) ?? [];
      return { messages: [await node.say(["It is ", ...words, "."])] };
    },
  },
  edges: {
    __start__: "plan",
    plan: {
      pick: ({ messages: history }) =>
        (((history as Message[]).at(-1)?.tool_calls ?? []) as unknown[]).length > 0 ? "tools" : "__end__",
      targets: ["tools", "__end__"],
    },
    tools: "report",
  },
};
