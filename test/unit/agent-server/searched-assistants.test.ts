import { expect, test } from "vitest";
import { startAgent } from "../../kit/agent-server/agent.ts";

test("a repeated search shows the current assistants", async () => {
  await using agent = await startAgent();
  const { body: made } = await agent.call("POST", "/assistants", { graph_id: "agent", name: "first" });
  const path = `/assistants/${made.assistant_id}`;
  const found = async () => {
    const { body } = await agent.call("POST", "/assistants/search", { limit: 100 });
    return body.find(({ assistant_id: id }: { assistant_id: string }) => id === made.assistant_id);
  };
  expect(await found()).toEqual(made);
  expect(await found()).toEqual(made);
  const { body: patched } = await agent.call("PATCH", path, { name: "second", metadata: { team: "a" } });
  expect(await found()).toEqual(patched);
  expect(await found()).toMatchObject({ name: "second", version: 2 });
  await agent.call("POST", `${path}/latest`, { version: 1 });
  expect(await found()).toMatchObject({ name: "first", version: 1 });
  expect(await found()).toEqual((await agent.call("GET", path)).body);
  await agent.call("DELETE", path);
  expect(await found()).toBeUndefined();
});
