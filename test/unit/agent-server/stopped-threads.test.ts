import { expect, test } from "vitest";
import { appended, lastValue } from "../../../mock-server/agent-server/engine/channels.ts";
import type { ScriptedGraph } from "../../../mock-server/agent-server/engine/scripted-graph.ts";
import { startAgent, thread, until } from "../../kit/agent-server/agent.ts";

const steps: ScriptedGraph = {
  id: "steps",
  channels: { n: lastValue(0), log: appended() },
  nodes: { one: () => ({ log: ["one"] }), two: () => ({ log: ["two"] }) },
  edges: { __start__: "one", one: "two" },
};
const path = `/threads/${thread(1)}`;
const toTwo = { assistant_id: "steps", input: {}, interrupt_before: ["two"], if_not_exists: "create" };

async function startStopped() {
  const agent = await startAgent({ graphs: [steps] });
  await agent.call("POST", `${path}/runs/wait`, toTwo);
  return agent;
}

test("the stream of a run that stops before a node ends with the state", async () => {
  await using agent = await startAgent({ graphs: [steps] });
  const modes = { ...toTwo, stream_mode: ["values", "updates"] };
  const events = await agent.events("POST", `${path}/runs/stream`, modes);
  expect(events.at(-1)).toEqual({ event: "values", data: { n: 0, log: ["one"] } });
  expect(JSON.stringify(events)).not.toContain("__interrupt__");
});

test("a stopped thread stays interrupted after a state change as long as nodes are left to run", async () => {
  await using agent = await startStopped();
  await agent.call("POST", `${path}/state`, { values: { n: 5 } });
  const { body } = await agent.call("POST", "/threads/search", { status: "interrupted" });
  expect(body).toMatchObject([{ values: { n: 5, log: ["one"] }, interrupts: {} }]);
  await agent.call("POST", `${path}/state`, { values: { n: 6 }, as_node: "two" });
  expect((await agent.call("GET", path)).body).toMatchObject({ status: "idle", values: { n: 6 } });
  await agent.call("POST", `${path}/state`, { values: { n: 7 }, as_node: "one" });
  expect((await agent.call("GET", path)).body.status).toBe("interrupted");
});

test("a thread whose supersteps leave nodes to run is interrupted", async () => {
  await using agent = await startAgent({ graphs: [steps] });
  const supersteps = [{ updates: [{ values: { n: 1 }, as_node: "one" }] }];
  const { body } = await agent.call("POST", "/threads", { metadata: { graph_id: "steps" }, supersteps });
  expect(body).toMatchObject({ status: "interrupted", values: { n: 1 }, interrupts: {} });
});

test("a copy's status follows from its state, even if the original thread is busy or has failed", async () => {
  const failing: ScriptedGraph = {
    ...steps,
    id: "failing",
    nodes: {
      ...steps.nodes,
      two: () => {
        throw new Error("broken");
      },
    },
  };
  await using agent = await startAgent({ graphs: [steps, failing] });
  await agent.call("POST", `${path}/runs/wait`, toTwo);
  await agent.call("POST", `${path}/runs`, { assistant_id: "steps", after_seconds: 60 });
  expect((await agent.call("GET", path)).body.status).toBe("busy");
  const left = { values: { log: ["one"] }, interrupts: {} };
  const busy = await agent.call("POST", `${path}/copy`);
  expect(busy.body).toMatchObject({ status: "interrupted", ...left });
  const body = { assistant_id: "failing", input: {}, if_not_exists: "create" };
  await agent.call("POST", `/threads/${thread(2)}/runs/wait`, body);
  const failed = await agent.call("POST", `/threads/${thread(2)}/copy`);
  expect(failed.body).toMatchObject({ status: "interrupted", ...left });
});

test("a run that never starts or is rolled back leaves a stopped thread unchanged", async () => {
  const slow: ScriptedGraph = {
    ...steps,
    nodes: { ...steps.nodes, two: () => new Promise<never>(() => {}) },
  };
  await using agent = await startAgent({ graphs: [slow] });
  await agent.call("POST", `${path}/runs/wait`, toTwo);
  const later = await agent.call("POST", `${path}/runs`, { assistant_id: "steps", after_seconds: 60 });
  await agent.call("POST", `${path}/runs/${later.body.run_id}/cancel?wait=1`);
  expect((await agent.call("GET", path)).body.status).toBe("interrupted");
  const begun = (await agent.call("POST", `${path}/runs`, { assistant_id: "steps" })).body.run_id;
  await until(async () => (await agent.call("GET", `${path}/runs/${begun}`)).body.status === "running");
  await agent.call("POST", `${path}/runs/${begun}/cancel?wait=1&action=rollback`);
  expect((await agent.call("GET", path)).body.status).toBe("interrupted");
});
