import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { RunningProject } from "../../../../mock-server/worker/host/running-project.ts";
import type { TestAgent } from "../../../kit/agent-server/agent.ts";
import { startAgentOf, startProject } from "../../../kit/agent-server/compiled/project.ts";

const act = (how: string) => ({ assistant_id: "wild", input: { how } });

// One project for all tests: what a message breaks is replaced for the next run.
let project: RunningProject;
let agent: TestAgent;

beforeAll(async () => {
  project = await startProject("wild");
  agent = await startAgentOf(project);
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await project.close();
});

test.each([
  "undefined",
  "null",
  "[]",
  '{"kind":"unknown"}',
  '{"kind":"notice","method":"unknown","params":{}}',
  '{"kind":"notice","method":"constructor","params":{}}',
  '{"kind":"notice","method":"putCheckpoint","params":null}',
  '{"kind":"notice","method":"putWrites","params":{"handle":1,"writes":[null]}}',
  '{"kind":"notice","method":"useStore","params":{"handle":0,"operations":[]}}',
  '{"kind":"failure","id":1,"failure":null}',
])("a graph that posts %s to the server ends its run and nothing else", async (message) => {
  const { body } = await agent.call("POST", "/runs/wait", act(`post ${message}`));
  expect(body.__error__).toEqual({
    error: "GraphCrashed",
    message: expect.stringContaining("isn't part of the protocol"),
  });
  expect((await agent.call("POST", "/runs/wait", act("exit"))).body.__error__.error).toBe("ProcessExit");
  expect(agent.defects).toEqual([]);
});

test("a graph that sends an invalid result in its worker's name fails its run", async () => {
  const { body } = await agent.call("POST", "/runs/wait", act("forge"));
  expect(body.__error__).toEqual({
    error: "TypeError",
    message: 'The worker returned an invalid result from "execute".',
  });
  expect(agent.defects).toEqual([]);
});

test("only the beginning of an endless line is logged", async () => {
  const lines: string[] = [];
  const worker = await startProject("wild", { onLog: ({ text }) => lines.push(text) });
  onTestFinished(() => worker.close());
  await using printing = await startAgentOf(worker);
  expect((await printing.call("POST", "/runs/wait", act("print"))).status).toBe(200);
  await worker.close();
  expect(lines.length).toBeLessThanOrEqual(1);
  expect((lines[0] ?? "").length).toBeLessThan(70_000);
});
