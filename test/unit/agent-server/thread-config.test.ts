import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lastValue } from "../../../mock-server/agent-server/engine/channels.ts";
import type { ScriptedGraph } from "../../../mock-server/agent-server/engine/scripted-graph.ts";
import { agentSchema } from "../../../mock-server/agent-server/persistence/agent-schema.ts";
import { createIdSource } from "../../../mock-server/kit/ids.ts";
import { DataDirectory } from "../../../mock-server/kit/store/data-directory.ts";
import { startAgent, type TestAgent, thread, until } from "../../kit/agent-server/agent.ts";

/** Returns the config that it runs with, after waiting for `ms` on the server's clock. */
const reader: ScriptedGraph = {
  id: "reader",
  channels: { seen: lastValue(null), ms: lastValue(0) },
  nodes: {
    async read({ ms }, { config, sleep }) {
      if (Number(ms) > 0) await sleep(Number(ms));
      const { configurable = {}, tags = null } = config as { configurable?: Record<string, unknown>; tags?: unknown };
      const { tenant, tone, "x-user": user } = configurable;
      return { seen: { tenant, tone, user, tags } };
    },
  },
  edges: { __start__: "read" },
};

const path = `/threads/${thread(1)}`;
const wait = async (agent: TestAgent, more: object = {}, headers = {}, at = path) => {
  const body = { assistant_id: "reader", input: {}, if_not_exists: "create", ...more };
  return (await agent.call("POST", `${at}/runs/wait`, body, headers)).body.seen;
};
const configOf = async (agent: TestAgent, at = path) => (await agent.call("GET", at)).body.config;

test("a run without a config uses its thread's, and a run with one overrides only the fields it names", async () => {
  await using agent = await startAgent({ graphs: [reader] });
  expect(await wait(agent, { config: { configurable: { tenant: "a", tone: "kind" }, tags: ["x"] } })).toEqual({
    tenant: "a",
    tone: "kind",
    tags: ["x"],
  });
  expect(await wait(agent)).toEqual({ tenant: "a", tone: "kind", tags: ["x"] });
  expect(await wait(agent, { config: { configurable: { tenant: "b" } } })).toEqual({
    tenant: "b",
    tone: "kind",
    tags: ["x"],
  });
  expect(await configOf(agent)).toMatchObject({ configurable: { tenant: "b", tone: "kind" }, tags: ["x"] });
  const [run] = (await agent.call("GET", `${path}/runs`)).body;
  expect(run.kwargs.config).toMatchObject({ configurable: { tenant: "b", tone: "kind", run_id: run.run_id } });
});

test("a thread's config wins over the assistant's, and the run's over both", async () => {
  await using agent = await startAgent({ graphs: [reader] });
  const config = { configurable: { tenant: "assistant", tone: "assistant" }, tags: ["assistant"] };
  const { body: assistant } = await agent.call("POST", "/assistants", { graph_id: "reader", config });
  await wait(agent, { config: { configurable: { tone: "thread" } } });
  const { assistant_id } = assistant;
  expect(await wait(agent, { assistant_id })).toEqual({ tenant: "assistant", tone: "thread", tags: ["assistant"] });
  expect(await wait(agent, { assistant_id, config: { configurable: { tone: "run" } } })).toMatchObject({ tone: "run" });
});

test("a run doesn't have the headers of an earlier run's request", async () => {
  await using agent = await startAgent({ graphs: [reader] });
  expect(await wait(agent, {}, { "x-user": "ann" })).toMatchObject({ user: "ann" });
  expect((await wait(agent)).user).toBeUndefined();
  expect(await configOf(agent)).not.toMatchObject({ configurable: { "x-user": "ann" } });
});

test("a thread keeps the config of a run that was queued, and merges the next one's", async () => {
  await using agent = await startAgent({ graphs: [reader] });
  const start = (input: object, configurable?: object) =>
    agent.call("POST", `${path}/runs`, {
      assistant_id: "reader",
      input,
      if_not_exists: "create",
      ...(configurable ? { config: { configurable } } : {}),
    });
  await start({ ms: 1000 }, { tone: "kind" });
  await start({ ms: 0 }, { tenant: "b" });
  await start({ ms: 0 });
  expect(await configOf(agent)).toMatchObject({ configurable: { tone: "kind" } });
  agent.clock.advance("2s");
  await until(async () => (await agent.call("GET", path)).body.status === "idle");
  expect(await configOf(agent)).toMatchObject({ configurable: { tone: "kind", tenant: "b" } });
});

test("runs of copies and of schedules have the thread's config, and those of batches have none", async () => {
  await using agent = await startAgent({ graphs: [reader] });
  await wait(agent, { config: { configurable: { tenant: "a" } } });
  const { thread_id: copy } = (await agent.call("POST", `${path}/copy`)).body;
  expect(await wait(agent, {}, {}, `/threads/${copy}`)).toMatchObject({ tenant: "a" });

  await agent.call("POST", `${path}/runs/crons`, { assistant_id: "reader", schedule: "* * * * *", input: {} });
  agent.clock.advance("1m");
  await until(async () => (await agent.call("GET", `${path}/runs`)).body.length === 2);
  const [scheduled] = (await agent.call("GET", `${path}/runs`)).body;
  expect(scheduled.kwargs.config.configurable.tenant).toBe("a");

  const { body: batch } = await agent.call("POST", "/runs/batch", [{ assistant_id: "reader", input: {} }]);
  expect(batch[0].kwargs.config.configurable.tenant).toBeUndefined();
});

test("a thread's config outlives its server", async () => {
  const folder = await mkdtemp(join(tmpdir(), "agents-"));
  try {
    for (const more of [{ config: { configurable: { tenant: "a" } } }, {}]) {
      const directory = await DataDirectory.open(folder, [agentSchema]);
      try {
        await using agent = await startAgent({ graphs: [reader], database: directory.database, ids: createIdSource() });
        expect(await wait(agent, more)).toMatchObject({ tenant: "a" });
      } finally {
        directory.close();
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
