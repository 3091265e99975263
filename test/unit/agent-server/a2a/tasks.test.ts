import { expect, test } from "vitest";
import { lastValue, messages } from "../../../../mock-server/agent-server/engine/channels.ts";
import type { ScriptedGraph } from "../../../../mock-server/agent-server/engine/scripted-graph.ts";
import { builtInGraphs } from "../../../../mock-server/graphs/built-in-graphs.ts";
import { createOutbound, type Outbound } from "../../../../mock-server/kit/outbound.ts";
import { a2aOf, acceptsBoth, eventsIn, messageOf } from "../../../kit/agent-server/a2a.ts";
import { startAgent, thread, until } from "../../../kit/agent-server/agent.ts";
import { startAgentOf, startProject } from "../../../kit/agent-server/compiled/project.ts";

/** Asks two things at once, then says what it was resumed. */
const twoQuestions: ScriptedGraph = {
  id: "two",
  channels: { messages: messages() },
  nodes: {
    left: (_, node) => ({ messages: [{ type: "ai", content: `left ${node.interrupt("Left?")}` }] }),
    right: (_, node) => ({ messages: [{ type: "ai", content: `right ${node.interrupt("Right?")}` }] }),
  },
  edges: { __start__: ["left", "right"] },
};

/** Says two things, one after the other, with a pause that lasts until the clock is advanced. */
const talker: ScriptedGraph = {
  id: "talker",
  channels: { messages: messages() },
  nodes: {
    async first(_, node) {
      return { messages: [await node.say(["Let me ", "see."])] };
    },
    async second(_, node) {
      await node.sleep(20);
      return { messages: [await node.say(["All ", "is ", "well."])] };
    },
  },
  edges: { __start__: "first", first: "second" },
};

/** Asks two things, one after the other. */
const interview: ScriptedGraph = {
  id: "interview",
  channels: { log: lastValue([]) },
  nodes: { ask: (_, node) => ({ log: [node.interrupt("First?"), node.interrupt("Second?")] }) },
  edges: { __start__: "ask" },
};

/** Leaves what it is given as its messages. */
const anyMessages: ScriptedGraph = {
  id: "any",
  channels: { messages: lastValue(null), said: lastValue(null) },
  nodes: { leave: ({ said }) => ({ messages: said }) },
  edges: { __start__: "leave" },
};

const graphs = [...builtInGraphs, twoQuestions, talker, interview, anyMessages];

test("a task is a run on the thread that is its context, and keeps its outcome when the thread goes on", async () => {
  await using agent = await startAgent();
  const { send, task } = a2aOf(agent.call, "agent");
  const first = await send("hello", { messageId: "first" });
  expect(first).toEqual({
    kind: "task",
    id: expect.any(String),
    contextId: expect.any(String),
    status: { state: "completed", timestamp: "2026-01-01T00:00:00.000Z" },
    artifacts: [{ artifactId: first.id, name: "Assistant Response", parts: [{ kind: "text", text: "Echo: hello" }] }],
    history: [
      {
        kind: "message",
        messageId: "first",
        role: "user",
        parts: [{ kind: "text", text: "hello" }],
        taskId: first.id,
        contextId: first.contextId,
      },
    ],
  });
  const second = await send("again", { contextId: first.contextId });
  expect(second.artifacts[0].parts[0].text).toBe("Echo: again");
  const { body: state } = await agent.call("GET", `/threads/${first.contextId}/state`);
  expect(state.values.messages.map(({ content }: { content: string }) => content)).toEqual([
    "hello",
    "Echo: hello",
    "again",
    "Echo: again",
  ]);
  expect(await task(first.id)).toEqual(first);
  expect(await task(`${first.contextId}:${first.id}`)).toEqual(first);
  expect(await task(first.id, { contextId: first.contextId })).toEqual(first);
  expect(await task(first.id, { contextId: thread(9) })).toMatchObject({ code: -32001 });
  const { history: _, ...withoutHistory } = first;
  expect(await task(first.id, { historyLength: 0 })).toEqual(withoutHistory);
});

test("a context can have any id that the client likes", async () => {
  await using agent = await startAgent();
  const { send, task, request } = a2aOf(agent.call, "agent");
  const first = await send("one", { contextId: "Trip: Rome" });
  const second = await send("two", { contextId: "Trip: Rome" });
  expect([first.contextId, second.contextId]).toEqual(["Trip: Rome", "Trip: Rome"]);
  expect(await task(`Trip: Rome:${first.id}`)).toEqual(first);
  const { result } = await request("ListTasks", { contextId: "Trip: Rome" });
  expect(result.tasks.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
  const chosen = await send("three", { contextId: thread(1) });
  expect(chosen.contextId).toBe(thread(1));
  expect((await agent.call("GET", `/threads/${thread(1)}`)).body).toMatchObject({
    status: "idle",
    metadata: { graph_id: "agent" },
  });
});

test("data is merged into the input, and files are content of the message", async () => {
  await using agent = await startAgent();
  const parts = [
    { kind: "text", text: "look" },
    { kind: "file", file: { bytes: "aGk=", mimeType: "image/png", name: "a.png" } },
    { kind: "file", file: { uri: "https://example.com/b.pdf", mimeType: "application/pdf" } },
    { kind: "data", data: { locale: "en" } },
  ];
  const { request } = a2aOf(agent.call, "agent");
  const { result } = await request("message/send", { message: messageOf("", { parts }) });
  expect(result.history[0].parts).toEqual(parts);
  const { body: run } = await agent.call("GET", `/threads/${result.contextId}/runs/${result.id}`);
  expect(run.kwargs.input).toEqual({
    locale: "en",
    messages: [
      {
        type: "human",
        id: "m1",
        content: [
          { type: "text", text: "look" },
          {
            type: "image",
            source_type: "base64",
            data: "aGk=",
            mime_type: "image/png",
            metadata: { filename: "a.png" },
          },
          { type: "file", source_type: "url", url: "https://example.com/b.pdf", mime_type: "application/pdf" },
        ],
      },
    ],
  });
  const approval = a2aOf(agent.call, "approval");
  const file = messageOf("", { parts: [parts[1]] });
  expect(await approval.request("message/send", { message: file })).toMatchObject({ error: { code: -32005 } });
  expect(await approval.request("message/send", { message: messageOf("a") })).toMatchObject({
    error: { code: -32602 },
  });
});

test("a question makes a task wait, and the answer continues it under its id", async () => {
  await using agent = await startAgent({ graphs });
  const { send, task } = a2aOf(agent.call, "approval");
  const paused = await send({ log: ["x"] });
  const question = { question: "approve?", log: ["x"] };
  expect(paused.status).toMatchObject({
    state: "input-required",
    message: {
      role: "agent",
      parts: [
        { kind: "text", text: JSON.stringify(question) },
        { kind: "data", data: { interrupts: [{ id: expect.any(String), value: question }] } },
      ],
    },
  });
  const resumed = await send("no", {
    taskId: `${paused.contextId}:${paused.id}`,
    contextId: paused.contextId,
    messageId: "m2",
  });
  expect(resumed).toMatchObject({ id: paused.id, contextId: paused.contextId, status: { state: "completed" } });
  expect(resumed.artifacts[0].parts).toEqual([
    { kind: "data", data: { log: ["x", "asked", "refused"], answer: "no" } },
  ]);
  const [, between, reply] = resumed.history;
  expect(between.parts).toEqual(paused.status.message.parts);
  expect(reply).toMatchObject({ role: "user", messageId: "m2", parts: [{ kind: "text", text: "no" }] });
  expect(await task(paused.id)).toEqual(resumed);
  await expect(send("again", { taskId: paused.id })).rejects.toThrow("-32004");
  await expect(send("again", { taskId: paused.id, contextId: thread(1) })).rejects.toThrow("-32602");
});

test("questions that are asked at once are answered by their ids, in any order", async () => {
  await using agent = await startAgent({ graphs });
  const { send } = a2aOf(agent.call, "two");
  const paused = await send("go");
  const { interrupts } = paused.status.message.parts.at(-1).data;
  expect(paused.status.message.parts.slice(0, 2)).toEqual([
    { kind: "text", text: "Left?" },
    { kind: "text", text: "Right?" },
  ]);
  const resume = interrupts
    .map(({ id, value }: { id: string; value: string }) => ({ id, value: `of ${value}` }))
    .reverse();
  const ended = await send({ resume }, { taskId: paused.id });
  expect(ended.status.state).toBe("completed");
  const { body: state } = await agent.call("GET", `/threads/${paused.contextId}/state`);
  const said = state.values.messages.map(({ content }: { content: string }) => content);
  expect(said.sort()).toEqual(["go", "left of Left?", "right of Right?"]);
});

test("of two replies that are sent at once, only one is taken", async () => {
  // The receiver is looked up until both replies are underway.
  const bothChecked = Promise.withResolvers<void>();
  let checks = 0;
  const outbound: Outbound = {
    ...createOutbound(),
    async check() {
      if (++checks === 2) bothChecked.resolve();
      await bothChecked.promise;
      return ["127.0.0.1"];
    },
  };
  await using agent = await startAgent({ graphs, outbound });
  const { send, task } = a2aOf(agent.call, "interview");
  const { id: taskId } = await send({});
  const configuration = { pushNotificationConfig: { url: "http://localhost:1/" } };
  const replies = await Promise.allSettled(["yes", "yes"].map((text) => send(text, { taskId }, configuration)));
  expect(replies.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const refused = replies.find((reply) => reply.status === "rejected");
  expect(String(refused?.reason)).toContain("-32004: ");
  const { status } = await task(taskId);
  expect(status).toMatchObject({ state: "input-required", message: { parts: [{ text: "Second?" }, {}] } });
  expect((await send("no", { taskId })).artifacts[0].parts[0].data.log).toEqual(["yes", "no"]);
  expect(agent.defects).toEqual([]);
});

test("a task whose question a later message passes over is canceled", async () => {
  await using agent = await startAgent();
  const { send, task } = a2aOf(agent.call, "approval");
  const paused = await send({ log: ["x"] });
  await send({ log: ["y"] }, { contextId: paused.contextId });
  expect((await task(paused.id)).status.state).toBe("canceled");
  await expect(send("yes", { taskId: paused.id })).rejects.toThrow("-32004");
});

test("a response is streamed as it is written, and another message takes its place", async () => {
  await using agent = await startAgent({ graphs });
  const { stream } = a2aOf(agent.call, "talker");
  agent.clock.resume();
  const events = await stream("message/stream", { message: messageOf("go") });
  const kinds = events.map(({ kind, status, append, lastChunk, artifact }) =>
    kind === "artifact-update" ? [append, lastChunk, artifact.parts[0].text] : [kind, status.state],
  );
  expect(kinds[0]).toEqual(["task", expect.stringMatching("submitted|working")]);
  expect(kinds.at(-2)).toEqual([true, true, ""]);
  expect(kinds.at(-1)).toEqual(["status-update", "completed"]);
  expect(events.at(-1).final).toBe(true);
  let response = "";
  const before: string[] = [];
  for (const [append, , text] of kinds.filter(([append]) => typeof append === "boolean")) {
    if (!append) before.push(response);
    response = append ? response + text : (text as string);
  }
  expect(before).toEqual(["", "Let me see."]);
  expect(response).toBe("All is well.");
  expect(new Set(events.map(({ id, taskId }) => id ?? taskId)).size).toBe(1);
});

test("a client that doesn't wait gets the task at once, and follows it from where it is", async () => {
  await using agent = await startAgent({ graphs });
  const { send, task, stream } = a2aOf(agent.call, "talker");
  const started = await send("go", {}, { blocking: false });
  expect(["submitted", "working"]).toContain(started.status.state);
  await until(async () => (await task(started.id)).artifacts?.[0].parts[0].text === "Let me see.");
  expect((await task(started.id)).status.state).toBe("working");
  // Both streams have begun when their headers are there.
  const open = (method: string) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { id: started.id } });
    return fetch(`${agent.url}/a2a/talker`, { method: "POST", headers: acceptsBoth, body });
  };
  const [followed, other] = await Promise.all([open("tasks/resubscribe"), open("SubscribeToTask")]);
  agent.clock.resume();
  const events = eventsIn(await followed.text());
  expect(events[0]).toMatchObject({
    kind: "task",
    status: { state: "working" },
    artifacts: [{ parts: [{ text: "Let me see." }] }],
  });
  expect(events.at(-1)).toMatchObject({ kind: "status-update", status: { state: "completed" }, final: true });
  expect(await other.text()).toContain('"state":"TASK_STATE_COMPLETED"');
  expect(await stream("tasks/resubscribe", { id: started.id })).toMatchObject([{ error: { code: -32004 } }]);
});

test("a task is canceled while it waits, works, or asks; not after its end", async () => {
  await using agent = await startAgent({ graphs });
  const slow = a2aOf(agent.call, "delay");
  const working = await slow.send({ ms: 60_000 }, {}, { blocking: false });
  const waiting = await slow.send({ ms: 60_000 }, { contextId: working.contextId }, { blocking: false });
  expect((await slow.task(waiting.id)).status.state).toBe("submitted");
  await until(async () => (await slow.task(working.id)).status.state === "working");
  for (const { id } of [waiting, working]) {
    expect(await slow.request("tasks/cancel", { id })).toMatchObject({ result: { status: { state: "canceled" } } });
    expect(await slow.request("tasks/cancel", { id })).toMatchObject({ error: { code: -32002 } });
  }
  const approval = a2aOf(agent.call, "approval");
  const paused = await approval.send({ log: ["x"] });
  const id = `${paused.contextId}:${paused.id}`;
  expect(await approval.request("CancelTask", { id })).toMatchObject({
    result: { status: { state: "TASK_STATE_CANCELED" } },
  });
  await expect(approval.send("yes", { taskId: paused.id })).rejects.toThrow("-32004");
  const ended = await a2aOf(agent.call, "agent").send("hello");
  expect(await a2aOf(agent.call, "agent").request("tasks/cancel", { id: ended.id })).toMatchObject({
    error: { code: -32002 },
  });
});

test("a message to a task that works is its next one", async () => {
  await using agent = await startAgent({ graphs });
  const { send, task } = a2aOf(agent.call, "talker");
  const started = await send("go", {}, { blocking: false });
  const joined = await send("and more", { taskId: started.id, messageId: "m2" }, { blocking: false });
  expect(joined.id).toBe(started.id);
  agent.clock.resume();
  await until(async () => (await task(started.id)).status.state === "completed");
  const { history } = await task(started.id);
  expect(history.map(({ messageId }: { messageId: string }) => messageId)).toEqual(["m1", "m2"]);
  expect((await task(started.id, { historyLength: 1 })).history).toEqual(history.slice(1));
});

test("whoever waits for a task that another message continues gets its end", async () => {
  await using agent = await startAgent({ graphs });
  const { send, stream, request, task } = a2aOf(agent.call, "talker");
  const params = { message: messageOf("go", { contextId: thread(1) }) };
  for (const wait of [() => request("message/send", params), () => stream("message/stream", params)]) {
    agent.clock.freeze(agent.clock.now());
    const waiting = wait();
    let id = "";
    await until(async () => {
      const { body: runs } = await agent.call("GET", `/threads/${thread(1)}/runs?status=running`);
      id = Array.isArray(runs) && runs.length > 0 ? runs[0].run_id : "";
      return id !== "" && (await task(id)).status.state === "working";
    });
    await send("and more", { taskId: id, messageId: "m2" }, { blocking: false });
    agent.clock.resume();
    const response = await waiting;
    if (Array.isArray(response)) {
      expect(response.filter(({ final }) => final)).toEqual([response.at(-1)]);
      expect(response.at(-1)).toMatchObject({ taskId: id, status: { state: "completed" }, final: true });
    } else {
      expect(response.result).toMatchObject({
        id,
        status: { state: "completed" },
        history: [{ messageId: "m1" }, { messageId: "m2" }],
      });
    }
  }
});

test("a state can have messages of any kind", async () => {
  await using agent = await startAgent({ graphs });
  const { send, request } = a2aOf(agent.call, "any");
  const partsAfter = async (said: unknown) => (await send({ said })).artifacts[0].parts;
  const file = { mimeType: "image/png", name: "a.png" };
  for (const said of [[null], ["text", 7], "text", { type: "ai" }, [{ type: "ai", content: null }]]) {
    expect(await partsAfter(said)).toEqual([{ kind: "data", data: { messages: said, said } }]);
  }
  const unreadable = [{ type: "text", text: 5 }, null, { type: "image", data: null }, { type: "file", url: 7 }];
  const image = { type: "image", mimeType: "image/png", data: "aGk=", metadata: { filename: "a.png" } };
  const link = { type: "file", url: "https://example.com/b.pdf", metadata: "none" };
  expect(await partsAfter([null, { type: "ai", content: [...unreadable, image, link] }])).toEqual([
    { kind: "file", file: { ...file, bytes: "aGk=" } },
    { kind: "file", file: { uri: "https://example.com/b.pdf" } },
  ]);
  expect((await request("ListTasks", {})).result.totalSize).toBe(6);
  expect(agent.defects).toEqual([]);
});

test("a copy of a thread is another context", async () => {
  await using agent = await startAgent();
  const { send, task } = a2aOf(agent.call, "agent");
  const { contextId, id } = await send("hello", { contextId: "trip" });
  expect(contextId).toBe("trip");
  const { body: threads } = await agent.call("POST", "/threads/search", {});
  const { body: copy } = await agent.call("POST", `/threads/${threads[0].thread_id}/copy`, {});
  const { body: other } = await agent.call("POST", `/threads/${copy.thread_id}/runs`, {
    assistant_id: "agent",
    input: {},
  });
  expect((await task(other.run_id)).contextId).toBe(copy.thread_id);
  expect((await task(id)).contextId).toBe("trip");
});

test("a failure is what the task says, also when the thread goes on", async () => {
  await using agent = await startAgent();
  const { send, task } = a2aOf(agent.call, "failure");
  const failed = await send({});
  expect(failed.status).toMatchObject({
    state: "failed",
    message: { parts: [{ text: expect.stringContaining("fails") }] },
  });
  expect(failed).not.toHaveProperty("artifacts");
  await send({}, { contextId: failed.contextId });
  expect((await task(failed.id)).status).toMatchObject({
    state: "failed",
    message: { parts: [{ text: "The run failed." }] },
  });
});

test("tasks are listed page by page, the latest change first, and by their state", async () => {
  await using agent = await startAgent();
  const { send, request } = a2aOf(agent.call, "approval");
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift((await send({ log: [`${n}`] })).id);
  const list = async (params: object) => {
    const { result } = await request("ListTasks", params);
    return [result.tasks.map(({ id }: { id: string }) => id), result.totalSize, result.nextPageToken];
  };
  expect(await list({})).toEqual([ids, 5, ""]);
  const [firstPage, , token] = await list({ pageSize: 2 });
  expect(firstPage).toEqual(ids.slice(0, 2));
  agent.clock.advance(1000);
  const changed = ids[3] as string;
  await send("yes", { taskId: changed });
  const created = (await send({ log: ["new"] })).id;
  await agent.call("POST", "/runs/wait", { assistant_id: "approval", input: {} });
  // A page begins where the one before ended, whatever came or changed in the meantime.
  expect(await list({ pageSize: 3, pageToken: token })).toEqual([[ids[2], ids[4]], 6, ""]);
  const all = [created, changed, ...ids.filter((id) => id !== changed)];
  expect(await list({})).toEqual([all, 6, ""]);
  expect(await list({ status: "TASK_STATE_COMPLETED" })).toEqual([[changed], 1, ""]);
  expect(await list({ statusTimestampAfter: "2026-01-01T00:00:01Z" })).toEqual([[created, changed], 2, ""]);
  expect(await list({ statusTimestampAfter: "2030-01-01T00:00:00Z" })).toEqual([[], 0, ""]);
  await send("yes", { taskId: ids[1] });
  expect(await list({ pageSize: 3, pageToken: token })).toEqual([[ids[0], ids[2], ids[4]], 6, ""]);
  const { result } = await request("ListTasks", {
    historyLength: 0,
    includeArtifacts: true,
    status: "TASK_STATE_COMPLETED",
  });
  expect(result.tasks[0]).toMatchObject({ artifacts: [{ name: "Assistant Response" }] });
  expect(result.tasks[0]).not.toHaveProperty("history");
});

test("tasks that are deleted while they are listed are left out", async () => {
  await using agent = await startAgent();
  const { send, request } = a2aOf(agent.call, "agent");
  const contexts: string[] = [];
  for (let n = 0; n < 120; n++) contexts.push((await send("hello")).contextId);
  const listing = request("ListTasks", { status: "TASK_STATE_COMPLETED", pageSize: 100 });
  await Promise.all(contexts.slice(0, 80).map((id) => agent.call("DELETE", `/threads/${id}`)));
  const { result } = await listing;
  expect(result.totalSize).toBeGreaterThanOrEqual(40);
  expect((await request("ListTasks", {})).result.totalSize).toBe(40);
  expect(agent.defects).toEqual([]);
});

test("tasks of a compiled graph ask, answer, stream and end as those of a scripted one", async () => {
  await using project = await startProject("development", { config: "langgraph.json" });
  await using agent = await startAgentOf(project);
  const model = a2aOf(agent.call, "agent");
  const events = await model.stream("message/stream", { message: messageOf("hello") });
  const text = events.filter(({ kind }) => kind === "artifact-update").map(({ artifact }) => artifact.parts[0].text);
  expect(text.join("")).toContain("end of talk");
  const first = await model.send("hello");
  await model.send("again", { contextId: first.contextId });
  expect(await model.task(first.id)).toEqual(first);
  const review = a2aOf(agent.call, "review");
  const paused = await review.send({ request: "send" });
  expect(paused.status.state).toBe("input-required");
  const ended = await review.send({ resume: { ok: true } }, { taskId: paused.id });
  expect(ended.artifacts[0].parts[0].data.log).toBe('acted on {"ok":true}');
  expect(ended.history.map(({ role }: { role: string }) => role)).toEqual(["user", "agent", "user"]);
});
