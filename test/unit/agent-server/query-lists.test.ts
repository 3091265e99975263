import { expect, test } from "vitest";
import { startAgent, thread } from "../../kit/agent-server/agent.ts";

test("lists in a query may be comma-separated, repeated, or the JSON array that older clients send", async () => {
  await using agent = await startAgent();
  await agent.call("POST", `/threads/${thread(1)}/runs/wait`, {
    assistant_id: "events",
    input: { steps: 1 },
    if_not_exists: "create",
  });
  for (const query of ["select=status,thread_id", "select=status&select=thread_id", 'select=["status","thread_id"]']) {
    const { body } = await agent.call("GET", `/threads/${thread(1)}/runs?${encodeURI(query)}`);
    expect(body, query).toEqual([{ status: "success", thread_id: thread(1) }]);
  }
  for (const query of ["select=[1]", "select=[", "select=[]x"]) {
    expect((await agent.call("GET", `/threads/${thread(1)}/runs?${query}`)).status, query).toBe(422);
  }
});
