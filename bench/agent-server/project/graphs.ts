import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ value: Annotation<string>, n: Annotation<number> });

/** As little as a graph can do. */
export const trivial = new StateGraph(State)
  .addNode("one", async ({ value }) => ({ value: `${value}!` }))
  .addEdge(START, "one")
  .addEdge("one", END)
  .compile();

/** As many events of its own as it is asked for, without a pause. */
export const burst = new StateGraph(State)
  .addNode("one", async ({ n }, { writer }) => {
    for (let i = 0; i < n; i++) writer?.({ i });
    return { value: "done" };
  })
  .addEdge(START, "one")
  .addEdge("one", END)
  .compile();
