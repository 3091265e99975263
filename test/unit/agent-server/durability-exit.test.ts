import { expect, test } from "vitest";
import { startAgent, thread, until } from "../../kit/agent-server/agent.ts";

// Parameters and fields that clients seldom send.

const path = `/threads/${thread(1)}`;
const said = { assistant_id: "chat", input: { messages: "hello" }, if_not_exists: "create" };

test("with durability exit, a run adds only its last checkpoint to the history", async () => {
  await using agent = await startAgent();
  const idsOf = async () =>
    (await agent.call("GET", `${path}/history`)).body.map(
      (state: { checkpoint: { checkpoint_id: string } }) => state.checkpoint.checkpoint_id,
    );
  await agent.call("POST", `${path}/runs/wait`, said);
  const before = await idsOf();
  const { body } = await agent.call("POST", `${path}/runs/wait`, { ...said, durability: "exit" });
  expect(body.messages).toHaveLength(4);
  const after = await idsOf();
  expect(after.slice(1)).toEqual(before);
  const { body: state } = await agent.call("GET", `${path}/state`);
  expect(state).toMatchObject({ values: body, next: [], parent_checkpoint: { checkpoint_id: before[0] } });
});

test("with durability exit, a run that interrupts or fails keeps its last state", async () => {
  await using agent = await startAgent();
  const asking = { assistant_id: "approval", input: { log: ["a"] }, if_not_exists: "create", durability: "exit" };
  const { body: interrupted } = await agent.call("POST", `${path}/runs/wait`, asking);
  expect(interrupted.__interrupt__).toHaveLength(1);
  const resumed = { assistant_id: "approval", command: { resume: "yes" }, durability: "exit" };
  const { body: done } = await agent.call("POST", `${path}/runs/wait`, resumed);
  expect((await agent.call("GET", `${path}/state`)).body).toMatchObject({ values: done, next: [] });
  const failing = { ...said, assistant_id: "failure", input: { message: "no" }, durability: "exit" };
  await agent.call("POST", `/threads/${thread(2)}/runs/wait`, failing);
  expect((await agent.call("GET", `/threads/${thread(2)}`)).body.status).toBe("error");
  expect((await agent.call("GET", `/threads/${thread(2)}/history`)).body).toHaveLength(1);
});

test("an assistant is deleted with its threads by delete_threads, and without them otherwise", async () => {
  await using agent = await startAgent();
  for (const [suffix, status] of [
    ["", 200],
    ["?delete_threads=true", 404],
  ] as const) {
    const { body: assistant } = await agent.call("POST", "/assistants", { graph_id: "chat" });
    const run = { ...said, assistant_id: assistant.assistant_id };
    const { body: made } = await agent.call("POST", "/threads", {});
    await agent.call("POST", `/threads/${made.thread_id}/runs/wait`, run);
    await agent.call("DELETE", `/assistants/${assistant.assistant_id}${suffix}`);
    expect((await agent.call("GET", `/threads/${made.thread_id}`)).status).toBe(status);
  }
});

test.each([
  ["delete", 404],
  ["keep", 200],
])("with on_run_completed %s, reading the thread of a cron's ended run responds with %i", async (choice, status) => {
  await using agent = await startAgent();
  const cron = { assistant_id: "chat", schedule: "* * * * *", input: { messages: "tick" }, on_run_completed: choice };
  const { body } = await agent.call("POST", "/runs/crons", cron);
  expect(body.on_run_completed).toBe(choice);
  const events: string[] = [];
  agent.clock.advance("61s");
  await until(async () => {
    const { body: threads } = await agent.call("POST", "/threads/search", {});
    events.push(...threads.map(({ thread_id }: { thread_id: string }) => thread_id));
    const { body: crons } = await agent.call("POST", "/runs/crons/search", {});
    const isOver = threads.every(({ status }: { status: string }) => status === "idle");
    return crons[0].next_run_date > "2026-01-01T00:01:30" && isOver && (choice === "delete" || threads.length === 1);
  });
  const [id] = events;
  if (choice === "keep") expect((await agent.call("GET", `/threads/${id}`)).status).toBe(status);
  else expect((await agent.call("POST", "/threads/search", {})).body).toEqual([]);
});

test.each([
  ["1", "interrupted"],
  ["0", "running"],
])("a run whose stream's reader leaves with cancel_on_disconnect=%s is %s", async (choice, status) => {
  await using agent = await startAgent();
  const slow = { assistant_id: "delay", input: { ms: 600_000, steps: 1 }, if_not_exists: "create" };
  const { body: run } = await agent.call("POST", `${path}/runs`, slow);
  const reader = new AbortController();
  const url = `${agent.url}${path}/runs/${run.run_id}/stream?cancel_on_disconnect=${choice}`;
  await fetch(url, { signal: reader.signal });
  reader.abort();
  const statusNow = async () => (await agent.call("GET", `${path}/runs/${run.run_id}`)).body.status;
  await until(async () => (await statusNow()) === status);
});
