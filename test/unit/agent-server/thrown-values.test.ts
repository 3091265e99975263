import { MessageChannel } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { lastValue } from "../../../mock-server/agent-server/engine/channels.ts";
import type { ScriptedGraph } from "../../../mock-server/agent-server/engine/scripted-graph.ts";
import { Calls } from "../../../mock-server/worker/calls.ts";
import { startAgent } from "../../kit/agent-server/agent.ts";

/** Values that code can throw although they have no text, or whose name and message aren't strings. */
const thrown = [
  { value: Object.create(null), failure: { error: "Error", message: "A value without a text was thrown." } },
  {
    value: Object.assign(new Error("x"), { name: { a: () => 1 } }),
    failure: { error: "Error", message: "x" },
  },
  {
    value: Object.defineProperty(new TypeError("x"), "message", {
      get() {
        throw new Error("no message");
      },
    }),
    failure: { error: "TypeError", message: "A value without a text was thrown." },
  },
  { value: Object.assign(new Error("x"), { message: () => 1 }), failure: { error: "Error", message: "() => 1" } },
];

test("a scripted graph that throws a value without a message fails its run, and the server keeps running", async () => {
  const graph: ScriptedGraph = {
    id: "throws",
    channels: { n: lastValue(0, { type: "integer" }) },
    nodes: {
      act({ n }) {
        throw thrown[n as number]?.value;
      },
    },
    edges: { __start__: "act" },
  };
  await using agent = await startAgent({ graphs: [graph] });
  for (const [n, { failure }] of thrown.entries()) {
    const { body } = await agent.call("POST", "/runs/wait", { assistant_id: "throws", input: { n } });
    expect(body.__error__).toEqual(failure);
  }
  expect(agent.defects).toEqual([]);
});

test("a call into a worker fails if it throws a value without a message or returns one that can't be serialized", async () => {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const caller = new Calls<object, { act(): unknown }>(port1);
  const called = new Calls<{ act(): unknown }, object>(port2);
  for (const { value, failure } of thrown) {
    called.serve({
      act() {
        throw value;
      },
    });
    await expect(caller.call("act", undefined)).rejects.toMatchObject({
      name: failure.error,
      message: failure.message,
    });
  }
  called.serve({ act: () => () => 1 });
  await expect(caller.call("act", undefined)).rejects.toMatchObject({ name: "DataCloneError" });
});
