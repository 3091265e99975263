import { expect, onTestFinished, test } from "vitest";
import { startAgentOf, startProject } from "../../kit/agent-server/compiled/project.ts";

const as = (token: string) => ({ authorization: `Bearer ${token}` });

test("users are admitted while another user's handler blocks the worker", async () => {
  const worker = await startProject("guarded", { unresponsiveMs: 1000 });
  onTestFinished(() => worker.close());
  await using agent = await startAgentOf(worker);
  const [looped, ...others] = await Promise.all(
    ["loop", "ann", "ann", "ann"].map((user) => agent.call("POST", "/threads", {}, as(user))),
  );
  expect(looped?.status).toBe(500);
  expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
});
