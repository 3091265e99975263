import { afterAll, expect, test } from "vitest";
import { thread, until } from "../../../kit/agent-server/agent.ts";
import { startAgentOf, startProject } from "../../../kit/agent-server/compiled/project.ts";

const worker = await startProject("basics", { env: { GREETING: "hello from the deployment" } });
afterAll(() => worker.close());

test("a compiled graph, a builder, a promise of a graph and a function that returns one all run", async () => {
  await using agent = await startAgentOf(worker);
  const run = async (id: string, extra = {}) =>
    (await agent.call("POST", "/runs/wait", { assistant_id: id, input: { value: "a" }, ...extra })).body.value;
  expect(await run("trivial")).toBe("a!");
  expect(await run("builder")).toBe("a?");
  expect(await run("promised")).toBe("a!");
  expect(await run("made")).toBe("a plainly");
  expect(await run("made", { config: { configurable: { tone: "kindly" } } })).toBe("a kindly");
});

test("a node that throws ends its run with the error's name and message", async () => {
  await using agent = await startAgentOf(worker);
  const { body } = await agent.call("POST", "/runs/wait", { assistant_id: "fail", input: {} });
  expect(body).toEqual({ __error__: { error: "TypeError", message: "kaboom" } });
});

test("an interrupted graph is resumed with the answer, after its thread was read", async () => {
  await using agent = await startAgentOf(worker);
  const path = `/threads/${thread(1)}`;
  const body = { assistant_id: "approval", input: { log: ["start"] }, if_not_exists: "create" };
  const interrupted = await agent.call("POST", `${path}/runs/wait`, body);
  const question = { question: "approve?", log: ["start"] };
  const interrupt = { id: expect.stringMatching(/^[0-9a-f]{32}$/), value: question };
  expect(interrupted.body).toEqual({ __interrupt__: [interrupt] });

  const state = (await agent.call("GET", `${path}/state`)).body;
  expect(state).toMatchObject({
    values: { log: ["start"], answer: null },
    next: ["ask"],
    tasks: [{ name: "ask", error: null, interrupts: [interrupt], path: ["__pregel_pull", "ask"], result: null }],
    interrupts: [interrupt],
    metadata: { source: "loop", step: 0, graph_id: "approval", thread_id: thread(1) },
    checkpoint: { thread_id: thread(1), checkpoint_ns: "", checkpoint_map: null },
    parent_checkpoint: { thread_id: thread(1) },
  });
  const waiting = (await agent.call("GET", path)).body;
  expect(waiting).toMatchObject({ status: "interrupted", interrupts: { [state.tasks[0].id]: [interrupt] } });

  const resumed = { assistant_id: "approval", command: { resume: "yes" } };
  const done = await agent.call("POST", `${path}/runs/wait`, resumed);
  expect(done.body).toEqual({ log: ["start", "asked", "done"], answer: "yes" });
  expect((await agent.call("GET", path)).body).toMatchObject({ status: "idle", values: done.body, interrupts: {} });
  const history = (await agent.call("GET", `${path}/history`)).body;
  expect(history.map(({ next }: { next: string[] }) => next)).toEqual([[], ["done"], ["ask"], ["__start__"]]);
});

test("a run stops before and after the requested nodes", async () => {
  await using agent = await startAgentOf(worker);
  const path = `/threads/${thread(1)}`;
  const body = { assistant_id: "trivial", input: { value: "a" }, if_not_exists: "create", interrupt_before: ["one"] };
  expect((await agent.call("POST", `${path}/runs/wait`, body)).body).toEqual({ value: "a", n: 0 });
  expect((await agent.call("GET", path)).body).toMatchObject({ status: "interrupted", interrupts: {} });
  const onward = { assistant_id: "trivial", input: null, interrupt_after: "*" };
  expect((await agent.call("POST", `${path}/runs/wait`, onward)).body).toEqual({ value: "a!", n: 0 });
  expect((await agent.call("GET", `${path}/state`)).body).toMatchObject({ values: { value: "a!" }, next: [] });
  expect((await agent.call("GET", path)).body.status).toBe("idle");
});

test("the state is updated as a node, and a run continues from an earlier checkpoint", async () => {
  await using agent = await startAgentOf(worker);
  const path = `/threads/${thread(1)}`;
  const run = { assistant_id: "trivial", input: { value: "a" }, if_not_exists: "create" };
  await agent.call("POST", `${path}/runs/wait`, run);
  const updated = await agent.call("POST", `${path}/state`, { values: { value: "changed" }, as_node: "one" });
  expect(updated.body.checkpoint).toMatchObject({ thread_id: thread(1), checkpoint_ns: "" });
  expect((await agent.call("GET", `${path}/state`)).body).toMatchObject({
    values: { value: "changed" },
    metadata: { source: "update", step: 2 },
    next: [],
  });
  expect((await agent.call("GET", path)).body.values).toMatchObject({ value: "changed" });

  const history = (await agent.call("GET", `${path}/history`)).body;
  const before = history.find(({ next }: { next: string[] }) => next[0] === "one").checkpoint.checkpoint_id;
  expect((await agent.call("GET", `${path}/state/${before}`)).body).toMatchObject({
    values: { value: "a" },
    next: ["one"],
  });
  const forked = await agent.call("POST", `${path}/runs/wait`, {
    assistant_id: "trivial",
    input: null,
    checkpoint_id: before,
  });
  expect(forked.body.value).toBe("a!");
  const bad = await agent.call("POST", `${path}/state`, { values: { value: "x" }, as_node: "nowhere" });
  expect(bad).toMatchObject({ status: 422, body: { detail: 'Node "nowhere" does not exist' } });
});

test("concurrent updates of a thread build on one another", async () => {
  await using agent = await startAgentOf(worker);
  const path = `/threads/${thread(1)}/state`;
  await agent.call("POST", "/threads", { thread_id: thread(1), metadata: { graph_id: "fanout" } });
  const update = (line: string) => agent.call("POST", path, { values: { log: [line] }, as_node: "work" });
  const responses = await Promise.all(["a", "b", "c"].map(update));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await agent.call("GET", path)).body.values.log.toSorted()).toEqual(["a", "b", "c"]);
});

test("an update is refused when a run started and ended while it was computed", async () => {
  await using agent = await startAgentOf(worker);
  const path = `/threads/${thread(1)}`;
  const run = { assistant_id: "fanout", input: { log: [] }, if_not_exists: "create" };
  await agent.call("POST", `${path}/runs/wait`, run);
  const supersteps = Array.from({ length: 200 }, () => ({ log: ["updated"] }));
  const updated = agent.call("POST", `${path}/state`, { values: supersteps, as_node: "work" });
  await agent.call("POST", `${path}/runs/wait`, run);
  expect((await updated).status).toBe(409);
  expect((await agent.call("GET", `${path}/state`)).body.values.log).not.toContain("updated");
});

test("commands go to nodes and change the state, and sent tasks run concurrently", async () => {
  await using agent = await startAgentOf(worker);
  const path = `/threads/${thread(1)}`;
  const run = { assistant_id: "fanout", input: { log: [] }, if_not_exists: "create" };
  expect((await agent.call("POST", `${path}/runs/wait`, run)).body.log).toEqual(["worked on a", "worked on b"]);
  const command = { update: { log: ["by command"] }, goto: { node: "work", input: { name: "c" } } };
  const commanded = await agent.call("POST", `${path}/runs/wait`, { assistant_id: "fanout", command });
  expect(commanded.body.log.slice(2)).toEqual(["by command", "worked on c"]);
});

test("a thread whose next tasks were sent is read and updated, with its history", async () => {
  await using agent = await startAgentOf(worker);
  const path = `/threads/${thread(1)}`;
  const run = { assistant_id: "fanout", input: { log: [] }, if_not_exists: "create", interrupt_before: ["work"] };
  expect((await agent.call("POST", `${path}/runs/wait`, run)).body).toEqual({ log: [], answer: null });
  const sent = [0, 1].map((index) => expect.objectContaining({ name: "work", path: ["__pregel_push", index, false] }));
  expect((await agent.call("GET", `${path}/state`)).body).toMatchObject({ next: ["work", "work"], tasks: sent });
  expect((await agent.call("GET", path)).body).toMatchObject({ status: "interrupted", interrupts: {} });
  await agent.call("POST", `${path}/runs/wait`, { assistant_id: "fanout" });
  const history = (await agent.call("GET", `${path}/history`)).body;
  expect(history.map(({ next }: { next: string[] }) => next)).toEqual([[], ["work", "work"], ["plan"], ["__start__"]]);
  const update = await agent.call("POST", `${path}/state`, { values: { log: ["by hand"] }, as_node: "plan" });
  expect(update).toMatchObject({ status: 200, body: { checkpoint: { thread_id: thread(1) } } });
  expect(agent.defects).toEqual([]);
});

test("interrupts without an id or without a value are sent unchanged", async () => {
  await using agent = await startAgentOf(worker);
  const path = `/threads/${thread(1)}`;
  const run = { assistant_id: "raised", input: { log: [] }, if_not_exists: "create" };
  expect((await agent.call("POST", `${path}/runs/wait`, run)).body).toEqual({
    __interrupt__: [{ value: "nothing to do" }],
  });
  const state = (await agent.call("GET", `${path}/state`)).body;
  expect(state).toMatchObject({ next: ["ask"], interrupts: [{ value: "nothing to do" }] });
  const waiting = (await agent.call("GET", path)).body;
  expect(waiting.interrupts).toEqual({ [state.tasks[0].id]: [{ value: "nothing to do" }] });
  const again = { assistant_id: "raised", input: { log: ["something"] } };
  expect((await agent.call("POST", `${path}/runs/wait`, again)).body).toEqual({
    __interrupt__: [{ id: expect.any(String) }],
  });
  const resumed = { assistant_id: "raised", command: { resume: "all" } };
  expect((await agent.call("POST", `${path}/runs/wait`, resumed)).body).toMatchObject({ answer: "all" });
  expect(agent.defects).toEqual([]);
});

test("a subgraph is interrupted and resumed, and its state is read with the thread's", async () => {
  await using agent = await startAgentOf(worker);
  const path = `/threads/${thread(1)}`;
  const run = { assistant_id: "nested", input: { log: ["start"] }, if_not_exists: "create" };
  const interrupted = await agent.call("POST", `${path}/runs/wait`, run);
  expect(interrupted.body.__interrupt__).toMatchObject([{ value: "inner?" }]);
  const plain = (await agent.call("GET", `${path}/state`)).body;
  const namespace = `outer:${plain.tasks[0].id}`;
  expect(plain.tasks[0]).toMatchObject({ checkpoint: { thread_id: thread(1), checkpoint_ns: namespace }, state: null });
  const deep = (await agent.call("GET", `${path}/state?subgraphs=true`)).body;
  expect(deep.tasks[0].state).toMatchObject({
    values: { log: ["start"] },
    next: ["inner"],
    checkpoint: { checkpoint_ns: namespace },
  });
  const resumed = { assistant_id: "nested", command: { resume: "fine" } };
  const done = await agent.call("POST", `${path}/runs/wait`, resumed);
  expect(done.body.log.at(-1)).toBe("inner: fine");
});

test("the state of a subgraph that hasn't started refers to its future checkpoints", async () => {
  await using agent = await startAgentOf(worker);
  const path = `/threads/${thread(1)}`;
  const run = { assistant_id: "nested", input: { log: [] }, if_not_exists: "create", interrupt_before: ["outer"] };
  await agent.call("POST", `${path}/runs/wait`, run);
  const [task] = (await agent.call("GET", `${path}/state?subgraphs=true`)).body.tasks;
  const place = { thread_id: thread(1), checkpoint_ns: `outer:${task.id}`, checkpoint_id: "", checkpoint_map: null };
  expect(task.state).toMatchObject({ values: {}, next: [], checkpoint: place, parent_checkpoint: null });
  const read = await agent.call("POST", `${path}/state/checkpoint`, { checkpoint: place });
  expect(read).toMatchObject({ status: 200, body: { values: {}, next: [], checkpoint: null } });
});

test("a thread is copied with its history, and the copy is independent", async () => {
  await using agent = await startAgentOf(worker);
  const run = { assistant_id: "approval", input: { log: ["start"] }, if_not_exists: "create" };
  await agent.call("POST", `/threads/${thread(1)}/runs/wait`, run);
  const { thread_id: copy } = (await agent.call("POST", `/threads/${thread(1)}/copy`)).body;
  const resumed = { assistant_id: "approval", command: { resume: "copied" } };
  expect((await agent.call("POST", `/threads/${copy}/runs/wait`, resumed)).body.answer).toBe("copied");
  expect((await agent.call("GET", `/threads/${thread(1)}/state`)).body.next).toEqual(["ask"]);
});

test("a rolled-back run leaves the thread as it was, with its interrupt open", async () => {
  await using agent = await startAgentOf(worker);
  const path = `/threads/${thread(1)}`;
  const run = { assistant_id: "approval", input: { log: ["start"] }, if_not_exists: "create" };
  await agent.call("POST", `${path}/runs/wait`, run);
  const before = (await agent.call("GET", `${path}/state`)).body;
  const late = { assistant_id: "endless", command: { resume: "yes" } };
  const { run_id: runId } = (await agent.call("POST", `${path}/runs`, late)).body;
  await agent.call("POST", `${path}/runs/${runId}/cancel?wait=true&action=rollback`);
  await agent.call("PATCH", path, { metadata: { graph_id: "approval" } });
  expect((await agent.call("GET", `${path}/state`)).body).toMatchObject({
    checkpoint: before.checkpoint,
    next: ["ask"],
  });
});

test("nodes use the server's store, the context and the deployment's environment, and print into its log", async () => {
  const lines: string[] = [];
  await using own = await startProject("basics", {
    env: { GREETING: "hello from the deployment" },
    onLog: ({ text }) => lines.push(text),
  });
  await using agent = await startAgentOf(own);
  const body = { assistant_id: "surroundings", input: {}, context: { tone: "calm" } };
  const response = await agent.call("POST", "/runs/wait", body);
  expect(response.body).toEqual({
    seen: {
      stored: { tone: "kind" },
      isDate: true,
      found: ["first"],
      context: { tone: "calm" },
      secret: "hello from the deployment",
      others: [],
    },
  });
  expect((await agent.call("GET", "/store/items?namespace=notes.ann&key=last")).body.value).toEqual({ tone: "kind" });
  await until(async () => lines.includes("looking around"));
});

test("the recursion limit ends a run", async () => {
  await using agent = await startAgentOf(worker);
  const body = { assistant_id: "circle", input: {}, config: { recursion_limit: 5 } };
  const { body: result } = await agent.call("POST", "/runs/wait", body);
  expect(result.__error__).toMatchObject({
    error: "GraphRecursionError",
    message: expect.stringContaining("limit of 5"),
  });
});

test("a stateless run leaves nothing behind, and can't be interrupted", async () => {
  await using agent = await startAgentOf(worker);
  const { body } = await agent.call("POST", "/runs/wait", { assistant_id: "approval", input: { log: [] } });
  expect(body.__error__.error).toBe("GraphValueError");
  expect((await agent.call("POST", "/threads/search", {})).body).toEqual([]);
});

test("a cancelled run ends at once, even if its node ignores the signal", async () => {
  await using agent = await startAgentOf(worker);
  const path = `/threads/${thread(1)}`;
  const body = { assistant_id: "endless", input: { log: ["start"] }, if_not_exists: "create" };
  const { run_id: runId } = (await agent.call("POST", `${path}/runs`, body)).body;
  await until(async () => (await agent.call("GET", `${path}/state`)).body.next[0] === "wait");
  expect((await agent.call("POST", `${path}/runs/${runId}/cancel?wait=true`)).status).toBe(204);
  expect((await agent.call("GET", `${path}/runs/${runId}`)).body.status).toBe("interrupted");
  expect((await agent.call("GET", `${path}/state`)).body).toMatchObject({ values: { log: ["start"] }, next: ["wait"] });
});

test("a run that is cancelled before it starts has ended when the response arrives", async () => {
  await using agent = await startAgentOf(worker);
  const path = `/threads/${thread(1)}/runs`;
  const run = { assistant_id: "trivial", input: { value: "a" }, if_not_exists: "create" };
  await agent.call("POST", `${path}/wait`, run);
  const delayed = (await agent.call("POST", path, { ...run, after_seconds: 60 })).body;
  expect(await agent.call("POST", `${path}/${delayed.run_id}/cancel`)).toMatchObject({ status: 202 });
  const interrupted = (await agent.call("GET", `${path}?status=interrupted`)).body;
  expect(interrupted).toMatchObject([{ run_id: delayed.run_id }]);
  expect((await agent.call("GET", `/threads/${thread(1)}`)).body).toMatchObject({ status: "idle" });
});

test("a value that can't be serialized ends the run with an error that gives its location", async () => {
  await using agent = await startAgentOf(worker);
  const wait = async (what: string) =>
    (await agent.call("POST", "/runs/wait", { assistant_id: "odd", input: { what } })).body.__error__;
  expect(await wait("bigint")).toEqual({
    error: "SerializationError",
    message: "The state.value.deep[1] can't be sent as JSON: it is a bigint.",
  });
  expect((await wait("circle")).message).toBe("The state.value.self can't be sent as JSON: it contains itself.");
  const path = `/threads/${thread(1)}/runs/wait`;
  const kept = await agent.call("POST", path, {
    assistant_id: "odd",
    input: { what: "bigint" },
    if_not_exists: "create",
  });
  expect(kept.body.__error__).toMatchObject({
    error: "SerializationError",
    message: expect.stringContaining("value"),
  });
});

test("supersteps of a new thread become its history", async () => {
  await using agent = await startAgentOf(worker);
  const supersteps = [
    { updates: [{ values: { log: ["given"] }, as_node: "__input__" }] },
    { updates: [{ values: { log: ["given"] }, as_node: "__start__" }] },
    { updates: [{ values: { log: ["asked"], answer: "no" }, as_node: "ask" }] },
  ];
  const created = await agent.call("POST", "/threads", { metadata: { graph_id: "approval" }, supersteps });
  const state = (await agent.call("GET", `/threads/${created.body.thread_id}/state`)).body;
  expect(state).toMatchObject({ values: { log: ["given", "asked"], answer: "no" }, next: ["done"] });
});

test("a graph of the functional API runs and is interrupted", async () => {
  await using agent = await startAgentOf(worker);
  const path = `/threads/${thread(1)}`;
  const body = { assistant_id: "flow", input: 3, if_not_exists: "create" };
  const interrupted = await agent.call("POST", `${path}/runs/wait`, body);
  expect(interrupted.body.__interrupt__).toMatchObject([{ value: "all right?" }]);
  const resumed = { assistant_id: "flow", command: { resume: "yes" } };
  expect((await agent.call("POST", `${path}/runs/wait`, resumed)).body).toBe("6: yes");
  expect((await agent.call("GET", `${path}/state`)).body).toMatchObject({ values: "6: yes", next: [] });
});

test("a pruned thread keeps its last state and continues from it", async () => {
  await using agent = await startAgentOf(worker);
  const path = `/threads/${thread(1)}`;
  const body = { assistant_id: "approval", input: { log: ["start"] }, if_not_exists: "create" };
  await agent.call("POST", `${path}/runs/wait`, body);
  await agent.call("POST", "/threads/prune", { thread_ids: [thread(1)], strategy: "keep_latest" });
  expect((await agent.call("GET", `${path}/history`)).body).toHaveLength(1);
  const resumed = { assistant_id: "approval", command: { resume: "yes" } };
  expect((await agent.call("POST", `${path}/runs/wait`, resumed)).body.log).toEqual(["start", "asked", "done"]);
});
