import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ value: Annotation<string>, n: Annotation<number> });

/** A graph of one node that does nothing. */
export const trivial = new StateGraph(State)
  .addNode("one", async ({ value }) => ({ value: `${value}!` }))
  .addEdge(START, "one")
  .addEdge("one", END)
  .compile();

/** Sends as many custom events as its input says, without a pause. */
export const burst = new StateGraph(State)
  .addNode("one", async ({ n }, { writer }) => {
    for (let i = 0; i < n; i++) writer?.({ i });
    return { value: "done" };
  })
  .addEdge(START, "one")
  .addEdge("one", END)
  .compile();
