import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startProject as startAny } from "../../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../../mock-server/worker/load/graph-config.ts";
import type { TestAgent } from "../../../kit/agent-server/agent.ts";
import { thread, until } from "../../../kit/agent-server/agent.ts";
import { startAgentOf, startProject } from "../../../kit/agent-server/compiled/project.ts";

const act = (how: string) => ({ assistant_id: "wild", input: { how }, if_not_exists: "create" });

async function startWild(unresponsiveMs = 60_000) {
  const folder = await mkdtemp(join(tmpdir(), "gate-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const gate = join(folder, "open");
  const worker = await startProject("wild", { env: { GATE: gate }, unresponsiveMs });
  onTestFinished(() => worker.close());
  return { agent: await startAgentOf(worker), worker, open: () => writeFile(gate, "") };
}

/** Starts a run that waits in its second step. */
async function startCalm(agent: TestAgent, threadId: string): Promise<string> {
  const body = { assistant_id: "calm", input: {}, if_not_exists: "create" };
  const { run_id: runId } = (await agent.call("POST", `/threads/${threadId}/runs`, body)).body;
  await until(async () => (await agent.call("GET", `/threads/${threadId}/state`)).body.next[0] === "second");
  return runId;
}

async function expectCalmEnd(agent: TestAgent, threadId: string, runId: string): Promise<void> {
  const { body } = await agent.call("GET", `/threads/${threadId}/runs/${runId}/join`);
  expect(body).toMatchObject({ steps: ["first", "second"] });
  expect((await agent.call("GET", `/threads/${threadId}/runs/${runId}`)).body.status).toBe("success");
}

test("an endless loop ends its run, and others continue from their last checkpoints", async () => {
  const { agent, open } = await startWild(300);
  await using _ = agent;
  const runId = await startCalm(agent, thread(1));
  const events = agent.events("GET", `/threads/${thread(1)}/runs/${runId}/stream`);
  const { body } = await agent.call("POST", `/threads/${thread(2)}/runs/wait`, act("loop"));
  expect(body.__error__).toEqual({
    error: "GraphUnresponsive",
    message: "The graph kept its worker busy for more than 0.3 s: the worker was ended.",
  });
  expect((await agent.call("GET", `/threads/${thread(2)}`)).body.status).toBe("error");
  await open();
  await expectCalmEnd(agent, thread(1), runId);
  expect((await events).filter(({ event }) => event === "metadata")).toMatchObject([
    { data: { run_id: runId, attempt: 2 } },
  ]);
  expect(agent.defects).toEqual([]);
});

test("process.exit, a signal to the process, an exception in a timer and an unhandled rejection end only their runs", async () => {
  const { agent, open } = await startWild();
  await using _ = agent;
  const runId = await startCalm(agent, thread(1));
  const errorOf = async (how: string) => (await agent.call("POST", "/runs/wait", act(how))).body.__error__;
  expect(await errorOf("exit")).toEqual({ error: "ProcessExit", message: "process.exit(3) was called." });
  const killed = { error: "ProcessExit", message: `process.kill(${process.pid}, SIGTERM) was called.` };
  expect(await errorOf("kill")).toEqual(killed);
  expect(await errorOf("kill group")).toMatchObject({ error: "ProcessExit" });
  expect(await errorOf("throw")).toEqual({ error: "RangeError", message: "thrown from a timer" });
  expect(await errorOf("reject")).toEqual({ error: "SyntaxError", message: "a promise that nobody heard" });
  await open();
  await expectCalmEnd(agent, thread(1), runId);
});

test("a run that loops can be cancelled, and the worker is replaced for the next", async () => {
  const { agent } = await startWild(300);
  await using _ = agent;
  const path = `/threads/${thread(1)}`;
  const { run_id: runId } = (await agent.call("POST", `${path}/runs`, act("loop"))).body;
  await until(async () => (await agent.call("GET", `${path}/runs/${runId}`)).body.status === "running");
  await agent.call("POST", `${path}/runs/${runId}/cancel?wait=true`);
  expect((await agent.call("GET", `${path}/runs/${runId}`)).body.status).toBe("interrupted");
  expect((await agent.call("POST", "/runs/wait", act("exit"))).body.__error__.error).toBe("ProcessExit");
});

test.each(["memory", "buffers"])(
  "a run that exceeds the memory limit (%s) fails with the reason, and the next one gets a new worker",
  async (how) => {
    const printed: string[] = [];
    await using worker = await startProject("wild", { memoryMb: 128, onLog: ({ text }) => printed.push(text) });
    await using agent = await startAgentOf(worker);
    const { body } = await agent.call("POST", "/runs/wait", act(how));
    const message = expect.stringMatching(/exceeded the memory limit of 128 MiB; raise the limit with --worker-memory/);
    expect(body.__error__).toEqual({ error: "GraphOutOfMemory", message });
    expect(printed).toEqual([message]);
    expect((await agent.call("POST", "/runs/wait", act("exit"))).body.__error__.error).toBe("ProcessExit");
  },
);

test("a worker that is closed with drain finishes its runs first", async () => {
  const { agent, worker, open } = await startWild();
  await using _ = agent;
  const runId = await startCalm(agent, thread(1));
  const closed = worker.close({ drain: true });
  await open();
  await closed;
  expect((await agent.call("GET", `/threads/${thread(1)}/runs/${runId}/join`)).body.steps).toEqual(["first", "second"]);
});

test.each([
  ["throws.json", /throws\.ts doesn't load: RangeError: not today \(\/.*\/throws\.ts:\d+\)$/],
  ["exits.json", /exits\.ts doesn't load: ProcessExit: process\.exit\(4\) was called\. \(\/.*\/exits\.ts:\d+\)$/],
  ["blocks.json", /blocks\.ts didn't load within 0.5 s: loading may never end\.$/],
  ["number.json", /agent of .*number\.ts is of type number, but must be a graph, a builder of one, or a function/],
  ["missing.json", /number\.ts doesn't export nothing: it exports agent\.$/],
])("a graph that doesn't load is a clear error: %s", async (config, message) => {
  await expect(
    startProject("broken", { config, loadTimeoutMs: config === "blocks.json" ? 500 : 60_000 }),
  ).rejects.toThrow(message);
});

test("the error for a project without the library says how to install it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bare-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "graph.json"), '{ "graphs": { "agent": "./agent.mjs:agent" } }');
  await writeFile(join(folder, "agent.mjs"), "export const agent = 1;");
  const project = await readGraphConfig(join(folder, "graph.json"));
  await expect(startAny(project)).rejects.toThrow(/@langchain\/langgraph isn't installed in .*: run npm install/);
});
