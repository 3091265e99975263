import { expect, onTestFinished, test } from "vitest";
import { startAgentOf, startProject } from "../../kit/agent-server/compiled/project.ts";

const as = (token: string) => ({ authorization: `Bearer ${token}` });

test("a worker that its handler blocks is ended, and the next request gets a new one", async () => {
  const worker = await startProject("guarded", { unresponsiveMs: 300 });
  onTestFinished(() => worker.close());
  await using agent = await startAgentOf(worker);
  expect(await agent.call("POST", "/threads", {}, as("loop"))).toMatchObject({
    status: 500,
    body: { detail: 'The handler "authenticate" was ended before it returned.' },
  });
  expect((await agent.call("POST", "/threads", {}, as("ann"))).status).toBe(200);
});
