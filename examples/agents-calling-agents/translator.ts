import { AIMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

// A real agent would ask a model.
const english: Record<string, string> = { "Guten Tag": "Good day", "Gute Nacht": "Good night" };

export const graph = new StateGraph(MessagesAnnotation)
  .addNode("translate", ({ messages }) => {
    const text = messages.at(-1)?.text ?? "";
    return { messages: [new AIMessage(english[text] ?? `I don't know “${text}”.`)] };
  })
  .addEdge(START, "translate")
  .addEdge("translate", END)
  .compile();
