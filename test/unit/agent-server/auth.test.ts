import { fileURLToPath } from "node:url";
import { Client } from "@langchain/langgraph-sdk";
import { afterAll, expect, test } from "vitest";
import type { ProjectOptions } from "../../../mock-server/worker/host/running-project.ts";
import { startProject } from "../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../mock-server/worker/load/graph-config.ts";
import { startAgent, thread } from "../../kit/agent-server/agent.ts";

const printed: string[] = [];

async function start(config: string, options: ProjectOptions = {}) {
  const file = fileURLToPath(new URL(`../../fixtures/graph-projects/guarded/${config}`, import.meta.url));
  return startProject(await readGraphConfig(file), { onLog: ({ text }) => printed.push(text), ...options });
}

const guarded = await start("graph.json");
const plain = await start("plain.json");
afterAll(() => Promise.all([guarded.close(), plain.close()]));

const startGuarded = () => startAgent({ projectOf: async () => guarded });
const startPlain = () => startAgent({ projectOf: async () => plain });
const as = (token: string) => ({ authorization: `Bearer ${token}` });
const ann = as("ann");
const bob = as("bob");

test("without a user, everything but health, information and reference is refused, including unknown paths", async () => {
  await using agent = await startGuarded();
  for (const path of ["/ok", "/info", "/openapi.json", "/docs"]) {
    expect((await fetch(agent.url + path)).status, path).toBe(200);
  }
  const refused = { status: 401, body: { detail: "Unknown token" } };
  expect(await agent.call("POST", "/threads", {})).toMatchObject(refused);
  expect(await agent.call("GET", "/nowhere")).toMatchObject(refused);
  expect(await agent.call("GET", "/metrics")).toMatchObject(refused);
  expect(await agent.call("POST", "/runs/stream", { assistant_id: "who", input: {} })).toMatchObject(refused);
});

test("a refusal keeps its status, its message and its headers", async () => {
  await using agent = await startGuarded();
  const response = await fetch(`${agent.url}/threads`, { method: "POST", headers: as("challenge") });
  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toBe("Bearer");
  expect(await response.json()).toEqual({ detail: "Send a token" });
});

test("a handler that throws, returns an invalid value, hangs or ends its worker fails only that request", async () => {
  await using impatient = await start("graph.json", { authTimeoutMs: 300 });
  await using agent = await startAgent({ projectOf: async () => impatient });
  const failed = async (token: string) => {
    const { status, body } = await agent.call("POST", "/threads", {}, as(token));
    expect(status).toBe(500);
    return body.detail;
  };
  expect(await failed("crash")).toBe('The handler "authenticate" failed; the server\'s log has the error.');
  expect(await failed("nonsense")).toBe('The handler "authenticate" failed; the server\'s log has the error.');
  expect(await failed("hang")).toBe('The handler "authenticate" didn\'t return within 0.3 s.');
  expect(await failed("exit")).toBe('The handler "authenticate" failed; the server\'s log has the error.');
  expect((await agent.call("POST", "/threads", {}, ann)).status).toBe(200);
  expect(printed.join("\n")).toContain("the directory of users is down");
  expect(agent.defects).toEqual([]);
});

test("threads belong to their creators and don't exist for others", async () => {
  await using agent = await startGuarded();
  const { body: made } = await agent.call("POST", "/threads", { metadata: { x: 1 } }, ann);
  expect(made.metadata).toEqual({ x: 1, owner: "ann", readers: ["ann", "team"] });
  const path = `/threads/${made.thread_id}`;
  const run = { assistant_id: "who", input: {} };
  const missing = { status: 404, body: { detail: `Thread with ID ${made.thread_id} not found` } };
  expect((await agent.call("GET", path, undefined, ann)).status).toBe(200);
  expect(await agent.call("GET", path, undefined, bob)).toMatchObject(missing);
  expect(await agent.call("PATCH", path, { metadata: { z: 1 } }, bob)).toMatchObject(missing);
  expect(await agent.call("DELETE", path, undefined, bob)).toMatchObject(missing);
  expect(await agent.call("POST", `${path}/copy`, undefined, bob)).toMatchObject(missing);
  expect(await agent.call("GET", `${path}/state`, undefined, bob)).toMatchObject(missing);
  expect(await agent.call("GET", `${path}/history`, undefined, bob)).toMatchObject(missing);
  expect(await agent.call("GET", `${path}/runs`, undefined, bob)).toMatchObject(missing);
  expect(await agent.call("GET", `${path}/stream`, undefined, bob)).toMatchObject(missing);
  expect(await agent.call("POST", `${path}/runs`, run, bob)).toMatchObject(missing);
  expect(await agent.call("POST", `${path}/runs/stream`, run, bob)).toMatchObject(missing);
  const cron = { ...run, schedule: "0 0 * * *" };
  expect(await agent.call("POST", `${path}/runs/crons`, cron, bob)).toMatchObject(missing);
  const again = { thread_id: made.thread_id, if_exists: "do_nothing" };
  expect((await agent.call("POST", "/threads", again, bob)).status).toBe(409);
  expect((await agent.call("POST", "/threads/prune", { thread_ids: [made.thread_id] }, bob)).body).toEqual({
    pruned_count: 0,
  });
  expect((await agent.call("GET", path, undefined, ann)).body.metadata).toEqual(made.metadata);
});

test("searches, lists and counts exclude other users' resources", async () => {
  await using agent = await startGuarded();
  await agent.call("POST", "/threads", {}, ann);
  await agent.call("POST", "/threads", {}, ann);
  await agent.call("POST", "/threads", {}, bob);
  const found = await agent.call("POST", "/threads/search", { limit: 1 }, ann);
  expect(found.body).toHaveLength(1);
  expect(found.headers.get("x-pagination-total")).toBe("2");
  expect((await agent.call("GET", "/threads", undefined, bob)).body).toHaveLength(1);
  expect((await agent.call("POST", "/threads/count", {}, ann)).body).toBe(2);
});

test("graphs get the authenticated user, whatever the request says", async () => {
  await using agent = await startGuarded();
  const user = {
    identity: "ann",
    permissions: ["chat"],
    team: "blue",
    is_authenticated: true,
    display_name: "ann",
  };
  const forged = { configurable: { langgraph_auth_user: { identity: "root" }, user_id: "root" } };
  const body = { assistant_id: "who", input: {}, config: forged };
  expect((await agent.call("POST", "/runs/wait", body, ann)).body.seen).toEqual({
    graph_auth_user: user,
    langgraph_auth_user: user,
    graph_auth_user_id: "ann",
    langgraph_auth_user_id: "ann",
    graph_auth_permissions: ["chat"],
    langgraph_auth_permissions: ["chat"],
    user_id: "ann",
  });
});

test("a run creates its thread with the metadata that handlers add, hidden from others", async () => {
  await using agent = await startGuarded();
  const path = `/threads/${thread(1)}`;
  const body = { assistant_id: "who", input: {}, if_not_exists: "create" };
  const { body: run } = await agent.call("POST", `${path}/runs`, body, ann);
  expect(run.metadata.owner).toBe("ann");
  expect(run).not.toHaveProperty("user");
  expect((await agent.call("GET", `${path}/runs/${run.run_id}`, undefined, bob)).status).toBe(404);
  expect((await agent.call("GET", `/runs/${run.run_id}/stream`, undefined, bob)).status).toBe(404);
  for (const end of ["join", "stream"]) {
    const joined = await agent.call("GET", `${path}/runs/${run.run_id}/${end}`, undefined, bob);
    expect(joined).toMatchObject({ status: 404, body: { detail: `Run ${run.run_id} not found` } });
    expect((await agent.call("GET", `${path}/runs/${thread(9)}/${end}`, undefined, bob)).status).toBe(404);
  }
  expect((await agent.call("POST", `${path}/runs/${run.run_id}/cancel`, undefined, bob)).status).toBe(404);
  expect((await agent.call("POST", `${path}/runs`, body, bob)).status).toBe(409);
  expect((await agent.call("GET", `${path}/runs/${run.run_id}/join`, undefined, ann)).body.seen.user_id).toBe("ann");
  expect((await agent.call("GET", path, undefined, ann)).body.metadata.owner).toBe("ann");
});

test("schedules keep their user, and others don't see them", async () => {
  await using agent = await startGuarded();
  const body = { assistant_id: "who", input: {}, schedule: "0 0 * * *" };
  const { body: cron } = await agent.call("POST", "/runs/crons", body, ann);
  expect(cron).toMatchObject({ user_id: "ann", metadata: { owner: "ann" } });
  const path = `/runs/crons/${cron.cron_id}`;
  expect((await agent.call("GET", path, undefined, bob)).status).toBe(404);
  expect((await agent.call("PATCH", path, { enabled: false }, bob)).status).toBe(404);
  expect((await agent.call("DELETE", path, undefined, bob)).status).toBe(404);
  expect((await agent.call("POST", "/runs/crons/count", {}, ann)).body).toBe(1);
  expect((await agent.call("POST", "/runs/crons/count", {}, bob)).body).toBe(0);
});

test("handlers can move a user's items into the user's namespace", async () => {
  await using agent = await startGuarded();
  const item = { namespace: ["notes"], key: "k", value: { text: "mine" } };
  expect((await agent.call("PUT", "/store/items", item, ann)).status).toBe(204);
  const { body } = await agent.call("GET", "/store/items?namespace=notes&key=k", undefined, ann);
  expect(body).toMatchObject({ namespace: ["ann", "notes"], value: { text: "mine" } });
  expect((await agent.call("GET", "/store/items?namespace=notes&key=k", undefined, bob)).body).toBe(null);
  const search = await agent.call("POST", "/store/items/search", {}, ann);
  expect(search).toMatchObject({ status: 403, body: { detail: "Searching is not for you" } });
});

test("the official client works for each user, and a handler that returns false forbids", async () => {
  await using agent = await startGuarded();
  const clientOf = (headers: Record<string, string>) =>
    new Client({ apiUrl: agent.url, apiKey: null, defaultHeaders: headers, callerOptions: { maxRetries: 0 } });
  const [hers, his] = [clientOf(ann), clientOf(bob)];
  const made = await hers.assistants.create({ graphId: "who" });
  expect(made.metadata).toEqual({ owner: "ann" });
  await expect(hers.assistants.delete(made.assistant_id)).rejects.toThrow("HTTP 403");
  await expect(his.assistants.update(made.assistant_id, { name: "his" })).rejects.toThrow("HTTP 404");
  const { thread_id: threadId } = await hers.threads.create();
  await expect(his.runs.wait(threadId, "who", { input: {} })).rejects.toThrow("HTTP 404");
  expect(await hers.runs.wait(threadId, "who", { input: {} })).toMatchObject({ seen: { user_id: "ann" } });
});

test("the developer interface is a separate user unless disabled", async () => {
  const studio = { "x-auth-scheme": "langsmith" };
  await using agent = await startGuarded();
  const { body } = await agent.call("POST", "/threads", {}, studio);
  expect(body.metadata.owner).toBe("langgraph-studio-user");
  await using other = await startPlain();
  expect(await other.call("POST", "/threads", {}, studio)).toMatchObject({
    status: 401,
    body: { detail: "Say who you are" },
  });
});

test("plain objects can be handlers, and an invalid return value fails the request", async () => {
  await using agent = await startPlain();
  const cat = { "x-user": "cat" };
  const { body: made } = await agent.call("POST", "/threads", {}, cat);
  expect((await agent.call("GET", `/threads/${made.thread_id}`, undefined, cat)).status).toBe(500);
  expect((await agent.call("DELETE", `/threads/${made.thread_id}`, undefined, cat)).status).toBe(500);
  expect((await agent.call("GET", "/assistants/who", undefined, cat)).status).toBe(200);
  expect((await agent.call("POST", "/assistants/search", {}, cat)).body).toEqual([]);
  expect((await agent.call("POST", "/internal/truncate", { assistants: true }, cat)).status).toBe(403);
  expect((await agent.call("POST", "/runs/wait", { assistant_id: "who", input: {} }, cat)).body.seen.user_id).toBe(
    "cat",
  );
});
