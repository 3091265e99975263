import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";

/** Stands in for a model: streams its only answer letter by letter. */
const says = (text: string) => new FakeListChatModel({ responses: [text], sleep: 20 });

const findOrder = tool(({ id }: { id: string }) => `Order ${id}: a teapot, 59 EUR, arrived broken.`, {
  name: "find_order",
  description: "Finds an order.",
  schema: {
    type: "object",
    properties: { id: { type: "string", description: "The number of the order." } },
    required: ["id"],
  },
});

const policy = new StateGraph(MessagesAnnotation)
  .addNode("check", async ({ messages }) => ({
    messages: [await says("The policy: whatever arrives broken is refunded.").invoke(messages)],
  }))
  .addEdge(START, "check")
  .compile();

export const graph = new StateGraph(MessagesAnnotation)
  .addNode("look", () => ({
    messages: [
      new AIMessage({ content: "", tool_calls: [{ id: "call-1", name: "find_order", args: { id: "1042" } }] }),
    ],
  }))
  .addNode("tools", new ToolNode([findOrder]))
  .addNode("policy", policy)
  .addNode("decide", async ({ messages }) => {
    const decision = interrupt({ question: "Refund 59 EUR?" });
    const answer = decision === "yes" ? "I have refunded 59 EUR." : "I'm sorry, there is no refund.";
    return { messages: [await says(answer).invoke(messages)] };
  })
  .addEdge(START, "look")
  .addEdge("look", "tools")
  .addEdge("tools", "policy")
  .addEdge("policy", "decide")
  .compile();
