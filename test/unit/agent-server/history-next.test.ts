import { expect, test } from "vitest";
import { startAgent, thread } from "../../kit/agent-server/agent.ts";

test("a history has the next nodes of every state, including the input's", async () => {
  await using agent = await startAgent();
  const path = `/threads/${thread(1)}`;
  const body = { assistant_id: "subgraph", input: { topic: "owls" }, if_not_exists: "create" };
  await agent.call("POST", `${path}/runs/wait`, body);
  const { body: history } = await agent.call("GET", `${path}/history`);
  expect(history.map(({ next }: { next: string[] }) => next)).toEqual([
    [],
    ["summarize"],
    ["child"],
    ["research"],
    ["prepare"],
    ["__start__"],
  ]);
});
