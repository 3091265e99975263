import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { startProject } from "../../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../../mock-server/worker/load/graph-config.ts";
import { startAgent, thread } from "../../../kit/agent-server/agent.ts";
import { allChannels, endsRun, openEvents, openSocket, threadOf } from "../../../kit/agent-server/event-streaming.ts";
import { apiOf, startForTest } from "../../../kit/mock-server/api.ts";

const file = fileURLToPath(new URL("../../../fixtures/graph-projects/guarded/graph.json", import.meta.url));
const config = await readGraphConfig(file);
const guarded = await startProject(config);
afterAll(() => guarded.close());

const startGuarded = () => startAgent({ projectOf: async () => guarded });
const as = (token: string) => ({ authorization: `Bearer ${token}` });
const start = { assistant_id: "who", input: {} };

test("commands and events need a user, and runs are the user's", async () => {
  await using agent = await startGuarded();
  const refused = { status: 401, body: { detail: "Unknown token" } };
  const path = `/threads/${thread(1)}`;
  expect(await agent.call("POST", `${path}/commands`, { id: 1, method: "run.start", params: start })).toMatchObject(
    refused,
  );
  expect(await agent.call("POST", `${path}/stream/events`, { channels: ["values"] })).toMatchObject(refused);
  const { closed } = await openSocket(agent.url, thread(1));
  expect(await closed).toEqual({ code: 4401, reason: "Unknown token" });

  const events = await threadOf(agent.url, agent.call, thread(1), as("ann")).run("who", {});
  const { seen } = events.findLast(({ method }) => method === "values")?.params.data ?? {};
  expect(seen).toMatchObject({ langgraph_auth_user_id: "ann" });
  const { body } = await agent.call("GET", path, undefined, as("ann"));
  expect(body.metadata).toMatchObject({ owner: "ann" });
});

test("a hidden thread is neither read nor written, over HTTP and over a WebSocket", async () => {
  await using agent = await startGuarded();
  await threadOf(agent.url, agent.call, thread(1), as("ann")).run("who", {});
  const bob = threadOf(agent.url, agent.call, thread(1), as("bob"));
  expect((await openEvents(agent.url, thread(1), {}, as("bob"))).status).toBe(404);
  const { closed } = await openSocket(agent.url, thread(1), as("bob"));
  expect(await closed).toEqual({ code: 4404, reason: `Thread with ID ${thread(1)} not found` });
  for (const method of ["state.get", "state.listCheckpoints", "agent.getTree"]) {
    expect((await bob.command(method)).error, method).toBe("no_such_run");
  }
  expect((await bob.command("run.start", start)).error).toBe("invalid_argument");
  expect((await bob.command("input.respond", { interrupt_id: "a", response: 1 })).error).toBe("no_such_run");
  expect((await bob.command("state.fork", { checkpoint_id: "a" })).error).toBe("no_such_run");
  expect(agent.defects).toEqual([]);
});

test("whoever waits for a thread that somebody else makes gets nothing of it", async () => {
  await using agent = await startGuarded();
  const events = await openEvents(agent.url, thread(1), {}, as("bob"));
  const socket = await openSocket(agent.url, thread(1), as("bob"));
  await socket.command("subscription.subscribe", { channels: allChannels });
  await threadOf(agent.url, agent.call, thread(1), as("ann")).run("who", {});
  const frame = await events.frame();
  expect(frame).toContain("not found");
  expect(await events.frame()).toBeUndefined();
  expect((await socket.closed).code).toBeGreaterThan(4000);
  expect(socket.events()).toEqual([]);
});

test("a command that the handlers refuse is permission_denied", async () => {
  await using agent = await startAgent({
    auth: {
      admitsStudio: false,
      authenticate: async () => ({ identity: "a", permissions: [], is_authenticated: true, display_name: "a" }),
      authorize: async ({ action, value }) => {
        if (action !== "create_run") return { value, filter: null };
        const { HttpError } = await import("../../../../mock-server/kit/http/http-error.ts");
        throw new HttpError(403, "No runs for you");
      },
    },
  });
  const response = await threadOf(agent.url, agent.call, thread(1)).command("run.start", {
    assistant_id: "chat",
    input: {},
  });
  expect(response).toMatchObject({ type: "error", error: "permission_denied", message: "No runs for you" });
  const socket = await openSocket(agent.url, thread(1));
  const denied = await socket.command("run.start", { assistant_id: "chat", input: {} });
  expect(denied.error).toBe("permission_denied");
});

test("the agent server of a deployment needs the key of its workspace, also for WebSockets", async () => {
  await using mock = await startForTest();
  const { deployments } = await mock.seed({ deployments: [{ name: "a", source: "internal_source" }] });
  const url = `${mock.url}/agents/${deployments[0]?.id}`;
  const key = { "x-api-key": "test-key" };
  const socket = await openSocket(url, thread(1), key);
  await socket.command("subscription.subscribe", { channels: ["lifecycle"] });
  await socket.command("run.start", { assistant_id: "events", input: { steps: 1 } });
  await socket.find(endsRun);
  const events = await openEvents(url, thread(1), {}, key);
  expect((await events.next(endsRun)).length).toBeGreaterThan(5);
  expect((await openEvents(url, thread(1))).status).toBe(401);
  expect((await (await openSocket(url, thread(1))).closed).code).toBe(4401);
  const command = { id: 1, method: "state.get" };
  expect((await apiOf(url)("POST", `/threads/${thread(1)}/commands`, command, { "x-api-key": "" })).status).toBe(401);
});

test("a project names the sites whose pages may open WebSockets, and may have a prefix", async () => {
  const greeter = fileURLToPath(new URL("../../../fixtures/graph-projects/greeter/graph.json", import.meta.url));
  const named = await readGraphConfig(greeter);
  await using project = await startProject({ ...named, http: { ...named.http, mountPrefix: "/inner" } });
  await using agent = await startAgent({ projectOf: async () => project });
  const url = `${agent.url}/inner`;
  const socket = await openSocket(url, thread(1), { origin: "https://app.example" });
  await socket.command("subscription.subscribe", { channels: ["values", "lifecycle"] });
  await socket.command("run.start", { assistant_id: "greeter", input: { name: "you" } });
  await socket.find(endsRun);
  expect(socket.events().at(-2)?.params.data).toMatchObject({ greeting: "Hello you from here" });
  const { closed } = await openSocket(url, thread(1), { origin: "https://other.example" });
  expect((await closed).code).toBe(4403);
  expect((await (await openSocket(agent.url, thread(1))).closed).code).toBe(4404);
});
