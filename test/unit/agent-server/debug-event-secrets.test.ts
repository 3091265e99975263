import { expect, onTestFinished, test } from "vitest";
import type { AuthHandlers } from "../../../mock-server/agent-server/auth/auth-handlers.ts";
import { type StreamedEvent, startAgent, type TestAgent } from "../../kit/agent-server/agent.ts";
import { startAgentOf, startProject } from "../../kit/agent-server/compiled/project.ts";

const headers = { authorization: "Bearer ann" };
const everybody: AuthHandlers = {
  admitsStudio: false,
  authenticate: async () => ({
    identity: "ann",
    permissions: [],
    is_authenticated: true,
    display_name: "ann",
    token: "x",
  }),
  authorize: async ({ value }) => ({ value, filter: null }),
};

async function expectNoUser(agent: TestAgent, graph: string, input: object): Promise<void> {
  const { body } = await agent.call("POST", "/threads", {}, headers);
  const run = { assistant_id: graph, input, stream_mode: ["debug", "checkpoints"] };
  const events = await agent.events("POST", `/threads/${body.thread_id}/runs/stream`, run, headers);
  const placesOf = ({ event, data }: StreamedEvent) =>
    event === "checkpoints" ? [data] : data.type === "checkpoint" ? [data.payload] : [];
  const places = events.flatMap(placesOf);
  expect(places.length).toBeGreaterThan(3);
  for (const { config, parent_config: parent } of places) {
    expect(config.configurable).toMatchObject({ thread_id: body.thread_id, user_id: "ann" });
    expect(Object.keys({ ...config.configurable, ...parent?.configurable }).join(" ")).not.toContain("auth");
  }
}

test("the configs in events of compiled graphs exclude the user, who may have tokens", async () => {
  const worker = await startProject("guarded");
  onTestFinished(() => worker.close());
  await using agent = await startAgentOf(worker);
  await expectNoUser(agent, "who", {});
});

test("the configs in events of scripted graphs exclude the user, who may have tokens", async () => {
  await using agent = await startAgent({ auth: everybody });
  await expectNoUser(agent, "events", { steps: 1 });
});
