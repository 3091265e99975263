import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { agentSchema } from "../../../../mock-server/agent-server/persistence/agent-schema.ts";
import { createIdSource } from "../../../../mock-server/kit/ids.ts";
import { DataDirectory } from "../../../../mock-server/kit/store/data-directory.ts";
import { a2aOf, messageOf } from "../../../kit/agent-server/a2a.ts";
import { startAgent, until } from "../../../kit/agent-server/agent.ts";
import { startReceiver } from "../../../kit/clients/receiver.ts";

const set = "tasks/pushNotificationConfig/set";

test("a question and the end are sent in the form of the client's version, with the client's token or credentials", async () => {
  await using receiver = await startReceiver();
  await using agent = await startAgent();
  const { send, request } = a2aOf(agent.call, "approval");
  const pushNotificationConfig = { url: receiver.url, token: "t1", id: "old" };
  const paused = await send({ log: ["x"] }, {}, { pushNotificationConfig });
  await until(async () => receiver.received.length === 1);
  expect(receiver.received[0]).toMatchObject({
    headers: { "content-type": "application/json", "x-a2a-notification-token": "t1" },
    body: { kind: "task", id: paused.id, status: { state: "input-required" } },
  });
  const authentication = { scheme: "Bearer", credentials: "c1" };
  const current = { taskId: paused.id, id: "new", url: receiver.url, authentication };
  expect((await request("CreateTaskPushNotificationConfig", current)).result).toMatchObject(current);
  await send("yes", { taskId: paused.id });
  await until(async () => receiver.received.length === 3);
  const [old, fresh] = receiver.received.slice(1).sort((a, b) => Number("task" in a.body) - Number("task" in b.body));
  expect(old?.body).toMatchObject({ kind: "task", id: paused.id, status: { state: "completed" } });
  expect(fresh).toMatchObject({
    headers: { "content-type": "application/a2a+json", authorization: "Bearer c1" },
    body: { task: { id: paused.id, status: { state: "TASK_STATE_COMPLETED" } } },
  });
  expect(agent.defects).toEqual([]);
});

test("a run on another thread that claims to continue a task sends no notification of it", async () => {
  await using receiver = await startReceiver();
  await using agent = await startAgent();
  const { send } = a2aOf(agent.call, "approval");
  const paused = await send({ log: ["x"] }, {}, { pushNotificationConfig: { url: receiver.url } });
  await until(async () => receiver.received.length === 1);
  const claiming = { assistant_id: "approval", input: {}, metadata: { a2a_task_id: paused.id } };
  const { body: other } = await agent.call("POST", "/threads", {});
  await agent.call("POST", `/threads/${other.thread_id}/runs/wait`, claiming);
  await send("yes", { taskId: paused.id });
  await until(async () => receiver.received.length > 1);
  expect(receiver.received.map(({ body }) => body.status.state)).toEqual(["input-required", "completed"]);
});

test("configurations are read, listed, replaced and deleted", async () => {
  await using agent = await startAgent();
  const { send, request } = a2aOf(agent.call, "agent");
  const { id: taskId } = await send("hello");
  const configOf = (url: string, id?: string) => ({ taskId, pushNotificationConfig: { url, ...(id ? { id } : {}) } });
  const withoutId = { taskId, pushNotificationConfig: { url: "http://127.0.0.1/a", id: taskId } };
  expect((await request(set, configOf("http://127.0.0.1/a"))).result).toEqual(withoutId);
  const other = configOf("http://127.0.0.1/b", "b");
  await request(set, other);
  const authentication = { schemes: ["Bearer", "Basic"], credentials: "c" };
  const { result: secured } = await request(set, {
    taskId,
    pushNotificationConfig: { ...withoutId.pushNotificationConfig, authentication },
  });
  expect(secured.pushNotificationConfig.authentication).toEqual({ schemes: ["Bearer"], credentials: "c" });
  await request(set, withoutId);
  const get = (params: object) => request("tasks/pushNotificationConfig/get", { id: taskId, ...params });
  expect((await get({})).result).toEqual(withoutId);
  expect((await get({ pushNotificationConfigId: "b" })).result).toEqual(other);
  expect((await get({ pushNotificationConfigId: "c" })).error.code).toBe(-32001);
  const replaced = configOf("http://127.0.0.1/c", "b");
  await request(set, replaced);
  const list = async () => (await request("tasks/pushNotificationConfig/list", { id: taskId })).result;
  expect(await list()).toEqual([withoutId, replaced]);
  const remove = { id: taskId, pushNotificationConfigId: "b" };
  expect(await request("tasks/pushNotificationConfig/delete", remove)).toEqual({ jsonrpc: "2.0", id: 1, result: null });
  expect(await list()).toEqual([withoutId]);
  const { result } = await request("ListTaskPushNotificationConfigs", { taskId });
  expect(result.configs).toMatchObject([{ taskId, id: taskId, url: "http://127.0.0.1/a" }]);
});

test("notifications go only where the server may send requests", async () => {
  await using agent = await startAgent();
  const { send, request } = a2aOf(agent.call, "agent");
  const { id: taskId } = await send("hello");
  for (const url of ["http://10.0.0.1/", "file:///etc/passwd", "nonsense", "http://user@127.0.0.1/"]) {
    const refused = { error: { code: -32602, message: expect.stringContaining("push notification configuration") } };
    expect(await request(set, { taskId, pushNotificationConfig: { url } })).toMatchObject(refused);
    const sent = { message: messageOf("hello"), configuration: { pushNotificationConfig: { url } } };
    expect(await request("message/send", sent)).toMatchObject(refused);
  }
  const { body: runs } = await agent.call("POST", "/threads/search", {});
  expect(runs).toHaveLength(1);
});

test("a token or credentials that a header can't have are refused, and not repeated", async () => {
  await using agent = await startAgent();
  const { send, request } = a2aOf(agent.call, "agent");
  const { id: taskId } = await send("hello");
  const url = "http://127.0.0.1/";
  for (const [header, more] of [
    ["x-a2a-notification-token", { token: "hidden\r\nx: y" }],
    ["x-a2a-notification-token", { token: "hidden \u20ac" }],
    ["authorization", { authentication: { schemes: ["Bearer"], credentials: "hidden\u0000" } }],
    ["authorization", { authentication: { schemes: ["hidden\n"], credentials: "c" } }],
  ] as const) {
    const pushNotificationConfig = { url, ...more };
    for (const { error } of [
      await request(set, { taskId, pushNotificationConfig }),
      await request("message/send", { message: messageOf("hello"), configuration: { pushNotificationConfig } }),
    ]) {
      expect(error).toMatchObject({
        code: -32602,
        message: expect.stringContaining(`the header ${header} can't have`),
      });
      expect(JSON.stringify(error)).not.toContain("hidden");
    }
  }
  expect((await request("ListTasks", {})).result.totalSize).toBe(1);
});

test("a restart leaves tasks, their questions and their notifications", async () => {
  await using receiver = await startReceiver();
  const folder = await mkdtemp(join(tmpdir(), "a2a-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const open = async () => {
    const directory = await DataDirectory.open(folder, [agentSchema]);
    const agent = await startAgent({ database: directory.database, ids: createIdSource() });
    return {
      agent,
      async close() {
        await agent[Symbol.asyncDispose]();
        directory.close();
        expect(agent.defects).toEqual([]);
      },
    };
  };
  const pushNotificationConfig = { url: receiver.url };
  const first = await open();
  const ended = await a2aOf(first.agent.call, "agent").send("hello");
  const approval = a2aOf(first.agent.call, "approval");
  const paused = await approval.send({ log: ["x"] });
  await approval.request(set, { taskId: paused.id, pushNotificationConfig });
  const slow = a2aOf(first.agent.call, "delay");
  const working = await slow.send({ ms: 60_000 }, {}, { blocking: false, pushNotificationConfig });
  await until(async () => (await slow.task(working.id)).status.state === "working");
  await first.close();

  const second = await open();
  const { call } = second.agent;
  expect(await a2aOf(call, "agent").task(ended.id)).toEqual(ended);
  expect(await a2aOf(call, "approval").task(paused.id)).toEqual(paused);
  expect((await a2aOf(call, "delay").task(working.id)).status.state).toBe("canceled");
  await until(async () => receiver.received.length === 1);
  expect(receiver.received[0]?.body).toMatchObject({ id: working.id, status: { state: "canceled" } });
  await a2aOf(call, "approval").send("yes", { taskId: paused.id });
  await until(async () => receiver.received.length === 2);
  expect(receiver.received[1]?.body).toMatchObject({ id: paused.id, status: { state: "completed" } });
  await second.close();
});
