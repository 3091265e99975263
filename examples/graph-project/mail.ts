import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  topic: Annotation<string>,
  draft: Annotation<string>,
  sent: Annotation<boolean>,
});

export const graph = new StateGraph(State)
  .addNode("write", ({ topic }) => ({ draft: `From ${process.env.SENDER}: about ${topic}` }))
  .addNode("send", ({ draft }) => ({ sent: interrupt({ question: "Send it?", draft }) === "yes" }))
  .addEdge(START, "write")
  .addEdge("write", "send")
  .addEdge("send", END)
  .compile();
