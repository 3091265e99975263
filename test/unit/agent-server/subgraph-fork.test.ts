import { expect, test } from "vitest";
import { appended, lastValue } from "../../../mock-server/agent-server/engine/channels.ts";
import type { ScriptedGraph } from "../../../mock-server/agent-server/engine/scripted-graph.ts";
import { startAgent, thread } from "../../kit/agent-server/agent.ts";

let begun = 0;

const inner: ScriptedGraph = {
  id: "inner",
  channels: { answers: appended() },
  nodes: {
    before: () => {
      begun++;
      return { answers: ["before"] };
    },
    ask: (_, node) => ({ answers: [node.interrupt("first?"), node.interrupt("second?")] }),
  },
  edges: { __start__: "before", before: "ask" },
};

const middle: ScriptedGraph = {
  id: "middle",
  channels: { answers: lastValue([]) },
  nodes: { inner: { graph: inner } },
  edges: { __start__: "inner" },
};

const outer: ScriptedGraph = {
  id: "outer",
  channels: { answers: lastValue([]) },
  nodes: { middle: { graph: middle } },
  edges: { __start__: "middle" },
};

test("an interrupt in nested subgraphs can be answered again from its checkpoint", async () => {
  await using agent = await startAgent({ graphs: [outer] });
  const path = `/threads/${thread(1)}`;
  const wait = async (body: object) =>
    (await agent.call("POST", `${path}/runs/wait`, { assistant_id: "outer", if_not_exists: "create", ...body })).body;

  await wait({ input: {} });
  const { checkpoint } = (await agent.call("GET", `${path}/state`)).body;
  await wait({ command: { resume: 1 } });
  expect(await wait({ command: { resume: 2 } })).toEqual({ answers: ["before", 1, 2] });

  const again = await wait({ command: { resume: "other" }, checkpoint });
  expect(again.__interrupt__).toMatchObject([{ value: "second?" }]);
  expect(await wait({ command: { resume: "still other" } })).toEqual({
    answers: ["before", "other", "still other"],
  });
  expect(begun).toBe(1);
});
