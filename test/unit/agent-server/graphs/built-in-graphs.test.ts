import { expect, test } from "vitest";
import { startAgent } from "../../../kit/agent-server/agent.ts";

test.each([
  ["events", "steps"],
  ["burst", "n"],
  ["delay", "steps"],
])("the graph %s refuses more events than the server can handle", async (graph, field) => {
  await using agent = await startAgent();
  for (const value of [1e9, -1, "many"]) {
    const { body } = await agent.call("POST", "/runs/wait", { assistant_id: graph, input: { [field]: value } });
    expect(body).toMatchObject({
      __error__: {
        error: "RangeError",
        message: `"${field}" must be a number from 0 to 100000, not ${JSON.stringify(value)}.`,
      },
    });
  }
});

test.each(["events", "burst"])(
  "while the graph %s sends many events, the server responds to other requests",
  async (graph) => {
    await using agent = await startAgent();
    let isOver = false;
    const input = { n: 100_000, steps: 100_000 };
    const run = agent.call("POST", "/runs/wait", { assistant_id: graph, input }).then(() => {
      isOver = true;
    });
    for (let count = 0; count < 3; count++) await agent.call("GET", "/ok");
    expect(isOver).toBe(false);
    await run;
  },
);
