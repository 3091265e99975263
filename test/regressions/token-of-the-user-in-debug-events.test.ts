import { expect, onTestFinished, test } from "vitest";
import { startAgentOf, startProject } from "../agent-server/compiled/project.ts";

test("the configs in debug events are told without the user, who may have tokens", async () => {
  const worker = await startProject("guarded");
  onTestFinished(() => worker.close());
  await using agent = await startAgentOf(worker);
  const headers = { authorization: "Bearer ann" };
  const { body } = await agent.call("POST", "/threads", {}, headers);
  const run = { assistant_id: "who", input: {}, stream_mode: "debug" };
  const events = await agent.events("POST", `/threads/${body.thread_id}/runs/stream`, run, headers);
  const configs = events.flatMap(({ data }) => (data.type === "checkpoint" ? [data.payload] : []));
  expect(configs.length).toBeGreaterThan(1);
  for (const { config, parent_config: parent } of configs) {
    expect(config.configurable).toMatchObject({ thread_id: body.thread_id, user_id: "ann" });
    expect(Object.keys({ ...config.configurable, ...parent?.configurable }).join(" ")).not.toContain("auth");
  }
});
