import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Part, SendMessageRequest, StreamResponse, Task } from "@a2a-js/sdk";
import { Role, TaskState } from "@a2a-js/sdk";
import { type Client, ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver } from "@a2a-js/sdk/client";
import { type Client as OldClient, ClientFactory as OldFactory } from "a2a-sdk-floor/client";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { checkout } from "../../../scripts/run-command.ts";
import { until } from "../../kit/agent-server/agent.ts";
import { startBuiltDev, startBuiltMock } from "../../kit/clients/built-server.ts";
import { startReceiver } from "../../kit/clients/receiver.ts";

const [scripted, compiled, guarded, mock] = await Promise.all([
  startBuiltDev(),
  startBuiltDev("development"),
  startBuiltDev("guarded", "graph.json"),
  startBuiltMock("--transitions", "immediate"),
]);
afterAll(() => Promise.all([scripted, compiled, guarded, mock].map((server) => server[Symbol.asyncDispose]())));

const factory = new ClientFactory();

function connect(url: string, assistant: string): Promise<Client> {
  return factory.createFromUrl(url, `/a2a/${assistant}/.well-known/agent-card.json`);
}

function connectOld(url: string, assistant: string): Promise<OldClient> {
  return new OldFactory().createFromUrl(url, `/a2a/${assistant}/.well-known/agent-card.json`);
}

const part = (content: Part["content"]): Part => ({ content, metadata: undefined, filename: "", mediaType: "" });
const text = (value: string) => part({ $case: "text", value });
const data = (value: object) => part({ $case: "data", value });
let count = 0;

function request(parts: Part[], more: Partial<Pick<Task, "contextId">> & { taskId?: string } = {}): SendMessageRequest {
  const message = {
    messageId: `message-${++count}`,
    contextId: "",
    taskId: "",
    role: Role.ROLE_USER,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  };
  return { tenant: "", message, configuration: undefined, metadata: undefined };
}

const inBackground = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true };
const said = ({ artifacts }: Task) => artifacts.flatMap(({ parts }) => parts).map(({ content }) => content?.value);
const sent = (parts: Part[], more?: object) => request(parts, more);

async function sendFor(client: Client, parts: Part[], more?: object): Promise<Task> {
  return (await client.sendMessage(sent(parts, more))) as Task;
}

/** What the client of a stream knows of a task: its states, and the pieces of its response. */
async function follow(stream: AsyncIterable<StreamResponse>) {
  const states: TaskState[] = [];
  let response = "";
  let isComplete = false;
  for await (const { payload } of stream) {
    if (payload?.$case === "task" || payload?.$case === "statusUpdate") {
      states.push(payload.value.status?.state as TaskState);
    } else if (payload?.$case === "artifactUpdate") {
      const { append, artifact, lastChunk } = payload.value;
      const piece = artifact?.parts.map(({ content }) => content?.value).join("") ?? "";
      response = append ? response + piece : piece;
      isComplete = lastChunk;
    }
  }
  return { states, response, isComplete };
}

test("the client of 1.0 reads the card, sends a message, and continues the context", async () => {
  const client = await connect(compiled.url, "agent");
  expect(client.protocolVersion).toBe("1.0");
  const card = await client.getAgentCard();
  expect(card).toMatchObject({ name: "agent", capabilities: { streaming: true, pushNotifications: true } });
  const task = await sendFor(client, [text("hello")]);
  expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(said(task)).toEqual(["end of talk"]);
  const next = await sendFor(client, [text("again")], { contextId: task.contextId });
  expect(next.contextId).toBe(task.contextId);
  expect(next.id).not.toBe(task.id);
  const state = await (await fetch(`${compiled.url}/threads/${task.contextId}/state`)).json();
  expect((state as { values: { messages: unknown[] } }).values.messages.length).toBeGreaterThan(4);
  expect(await client.getTask({ tenant: "", id: task.id })).toEqual(task);
  const { tasks } = await client.listTasks({
    tenant: "",
    contextId: task.contextId,
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: "",
    statusTimestampAfter: undefined,
    includeArtifacts: true,
  });
  expect(tasks).toEqual([next, task]);
});

test("the client of 1.0 streams a response as the model writes it", async () => {
  const client = await connect(compiled.url, "agent");
  const { states, response, isComplete } = await follow(client.sendMessageStream(sent([text("hello")])));
  expect(states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
  expect([response, isComplete]).toEqual(["end of talk", true]);
});

test("the client of 1.0 replies to a question", async () => {
  const client = await connect(compiled.url, "review");
  const paused = await sendFor(client, [data({ request: "send" })]);
  expect(paused.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  const [, about] = paused.status?.message?.parts ?? [];
  expect(about?.content?.value.interrupts[0].value).toEqual({ question: "Approve?", request: "send" });
  const ended = await sendFor(client, [data({ resume: { choice: "A" } })], { taskId: paused.id });
  expect(ended).toMatchObject({ id: paused.id, status: { state: TaskState.TASK_STATE_COMPLETED } });
  expect(said(ended)[0]).toMatchObject({ log: 'acted on {"choice":"A"}' });
  expect(ended.history).toHaveLength(3);
});

test("the client of 1.0 cancels a task that another one follows", async () => {
  const client = await connect(compiled.url, "slow");
  const task = (await client.sendMessage({
    ...sent([data({ ms: 600_000 })]),
    configuration: inBackground,
  })) as Task;
  const followed = follow((await connect(compiled.url, "slow")).resubscribeTask({ tenant: "", id: task.id }));
  await until(
    async () => (await client.getTask({ tenant: "", id: task.id })).status?.state === TaskState.TASK_STATE_WORKING,
  );
  const cancelled = await client.cancelTask({ tenant: "", id: task.id, metadata: undefined });
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  expect((await followed).states.at(-1)).toBe(TaskState.TASK_STATE_CANCELED);
});

test("the client of 1.0 gets notifications of a task", async () => {
  await using receiver = await startReceiver();
  const client = await connect(compiled.url, "review");
  const config = { tenant: "", id: "", taskId: "", url: receiver.url, token: "secret", authentication: undefined };
  const task = (await client.sendMessage({
    ...sent([data({ request: "send" })]),
    configuration: { ...inBackground, taskPushNotificationConfig: config },
  })) as Task;
  await until(async () => receiver.received.length === 1);
  expect(receiver.received[0]).toMatchObject({
    headers: { "content-type": "application/a2a+json", "x-a2a-notification-token": "secret" },
    body: { task: { id: task.id, status: { state: "TASK_STATE_INPUT_REQUIRED" } } },
  });
  const { configs } = await client.listTaskPushNotificationConfig({
    tenant: "",
    taskId: task.id,
    pageSize: 0,
    pageToken: "",
  });
  expect(configs).toMatchObject([{ taskId: task.id, id: task.id, url: receiver.url }]);
  await client.deleteTaskPushNotificationConfig({ tenant: "", taskId: task.id, id: task.id });
  await sendFor(client, [text("yes")], { taskId: task.id });
  expect(receiver.received).toHaveLength(1);
});

async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const oldMessage = (value: string | object, more: object = {}) => ({
  kind: "message" as const,
  role: "user" as const,
  messageId: `message-${++count}`,
  parts: [
    typeof value === "string"
      ? { kind: "text" as const, text: value }
      : { kind: "data" as const, data: value as Record<string, unknown> },
  ],
  ...more,
});

test("the client of 0.3 sends, streams, replies, cancels, follows and gets notifications", async () => {
  await using receiver = await startReceiver();
  const agent = await connectOld(compiled.url, "agent");
  expect(await agent.getAgentCard()).toMatchObject({ protocolVersion: "0.3.0", preferredTransport: "JSONRPC" });
  const task = await agent.sendMessage({ message: oldMessage("hello") });
  expect(task).toMatchObject({ kind: "task", status: { state: "completed" } });
  expect(task).toMatchObject({
    artifacts: [{ name: "Assistant Response", parts: [{ kind: "text", text: "end of talk" }] }],
  });
  const kinds = (await allOf(agent.sendMessageStream({ message: oldMessage("hello") }))).map(({ kind }) => kind);
  expect(kinds[0]).toBe("task");
  expect(kinds).toContain("artifact-update");
  expect(kinds.at(-1)).toBe("status-update");

  const review = await connectOld(compiled.url, "review");
  const question = (await allOf(review.sendMessageStream({ message: oldMessage({ request: "send" }) }))).at(-1);
  expect(question).toMatchObject({ status: { state: "input-required" }, final: true });
  const { taskId } = question as { taskId: string };
  const pushNotificationConfig = { url: receiver.url, token: "secret" };
  await review.setTaskPushNotificationConfig({ taskId, pushNotificationConfig });
  expect(await review.getTaskPushNotificationConfig({ id: taskId })).toMatchObject({ pushNotificationConfig });
  const ended = await review.sendMessage({ message: oldMessage("yes", { taskId }) });
  expect(ended).toMatchObject({ id: taskId, status: { state: "completed" } });
  await until(async () => receiver.received.length === 1);
  expect(receiver.received[0]).toMatchObject({
    headers: { "x-a2a-notification-token": "secret" },
    body: { kind: "task", id: taskId, status: { state: "completed" } },
  });

  const slow = await connectOld(compiled.url, "slow");
  const configuration = { blocking: false };
  const started = await slow.sendMessage({ message: oldMessage({ ms: 600_000 }), configuration });
  const id = (started as { id: string }).id;
  const followed = allOf(slow.resubscribeTask({ id }));
  await until(async () => (await slow.getTask({ id })).status.state === "working");
  expect(await slow.cancelTask({ id })).toMatchObject({ status: { state: "canceled" } });
  expect((await followed).at(-1)).toMatchObject({ status: { state: "canceled" }, final: true });
  await expect(slow.getTask({ id: "nothing" })).rejects.toThrow("not found");
});

test("what a graph does wrong is a failed task, and what a client does wrong an error", async () => {
  const failing = await connect(compiled.url, "failing");
  const failed = await sendFor(failing, [data({})]);
  expect(failed.status?.state).toBe(TaskState.TASK_STATE_FAILED);
  expect(failed.status?.message?.parts[0]?.content?.value).toBe("OutOfPaper: The tray is empty.");
  await expect(failing.getTask({ tenant: "", id: "nothing" })).rejects.toMatchObject({ name: "TaskNotFoundError" });
  await expect(sendFor(failing, [text("again")], { taskId: failed.id })).rejects.toMatchObject({
    name: "UnsupportedOperationError",
  });
  await expect(follow(failing.resubscribeTask({ tenant: "", id: failed.id }))).rejects.toMatchObject({
    name: "UnsupportedOperationError",
  });
});

test("a project's handlers authenticate the client, and nobody sees another's tasks", async () => {
  await expect(connect(guarded.url, "who")).rejects.toThrow("401");
  const of = async (name: string) => {
    const fetchImpl: typeof fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set("authorization", `Bearer ${name}`);
      return fetch(input, { ...init, headers });
    };
    const { JsonRpcTransportFactory } = await import("@a2a-js/sdk/client");
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    });
    return new ClientFactory(options).createFromUrl(guarded.url, "/a2a/who/.well-known/agent-card.json");
  };
  const [ann, bob] = await Promise.all([of("ann"), of("bob")]);
  const task = await sendFor(ann, [data({})]);
  expect(said(task)[0]).toMatchObject({ seen: { graph_auth_user_id: "ann" } });
  expect(await ann.getTask({ tenant: "", id: task.id })).toEqual(task);
  await expect(bob.getTask({ tenant: "", id: task.id })).rejects.toMatchObject({ name: "TaskNotFoundError" });
});

test("a deployment of the mock server is reached with its workspace's key, as its card says", async () => {
  const headers = { "x-api-key": "key", "content-type": "application/json" };
  const seed = { deployments: [{ name: "a", source: "internal_source" }] };
  const seeded = await fetch(`${mock.url}/_mock/seed`, { method: "POST", headers, body: JSON.stringify(seed) });
  const { deployments } = (await seeded.json()) as { deployments: { id: string }[] };
  const base = `${mock.url}/agents/${deployments[0]?.id}`;
  const cardUrl = `${base}/.well-known/agent-card.json?assistant_id=agent`;
  expect((await fetch(cardUrl)).status).toBe(401);
  const card = (await (await fetch(cardUrl, { headers })).json()) as { url: string };
  expect(card).toMatchObject({
    url: expect.stringContaining(`${base}/a2a/`),
    securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Api-Key" } },
  });
  const send = { jsonrpc: "2.0", id: "1", method: "message/send", params: { message: oldMessage("hello") } };
  const resumed = await fetch(card.url, {
    method: "POST",
    headers: { ...headers, accept: "application/json" },
    body: JSON.stringify(send),
  });
  expect(await resumed.json()).toMatchObject({ result: { status: { state: "completed" } } });
});

test("the example of the docs runs", async () => {
  const page = await readFile(join(checkout, "docs/guides/agent-server.md"), "utf8");
  const source = /```ts\n(import \{ SendMessageRequest \}[\s\S]*?)```/.exec(page)?.[1] as string;
  const folder = await mkdtemp(join(tmpdir(), "documented-a2a-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await symlink(join(checkout, "node_modules"), join(folder, "node_modules"));
  const file = join(folder, "example.mjs");
  await writeFile(file, `${source.replace("http://127.0.0.1:2024", scripted.url)}\nexport { task };\n`);
  const { task } = (await import(pathToFileURL(file).href)) as { task: Task };
  expect(said(task)).toEqual(["Echo: hello"]);
});
