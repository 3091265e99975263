import { expect, onTestFinished, test } from "vitest";
import { startAgentOf, startProject } from "../../kit/agent-server/compiled/project.ts";

test("other projects' workers keep responding after a blocked one is ended", async () => {
  const blocked = await startProject("wild", { unresponsiveMs: 300 });
  const other = await startProject("wild");
  onTestFinished(async () => {
    await blocked.close();
    await other.close();
  });
  await using agent = await startAgentOf(blocked);
  await using neighbour = await startAgentOf(other);
  const act = (how: string) => ({ assistant_id: "wild", input: { how } });
  const looped = await agent.call("POST", "/runs/wait", act("loop"));
  expect(looped.body.__error__.error).toBe("GraphUnresponsive");
  const next = await neighbour.call("POST", "/runs/wait", act("exit"));
  expect(next.body.__error__.error).toBe("ProcessExit");
});
