import { expect, test } from "vitest";
import type { AuthHandlers } from "../../../mock-server/agent-server/auth/auth-handlers.ts";
import { builtInGraphs } from "../../../mock-server/graphs/built-in-graphs.ts";
import { startAgent, thread } from "../../kit/agent-server/agent.ts";

/** Users see only their own resources, and nobody owns the default assistants. */
const owners: AuthHandlers = {
  admitsStudio: false,
  async authenticate({ headers }) {
    const identity = new Headers(headers).get("x-user") ?? "nobody";
    return { identity, permissions: [], is_authenticated: true, display_name: identity };
  },
  async authorize({ value, user }) {
    const owner = { owner: user.identity };
    const metadata = value.metadata ? { metadata: { ...value.metadata, ...owner } } : {};
    return { value: { ...value, ...metadata }, filter: owner };
  },
};
const ann = { "x-user": "ann" };
const bob = { "x-user": "bob" };
const body = { assistant_id: "events", input: { steps: 1 } };

const startOwned = () => startAgent({ graphs: builtInGraphs, auth: owners });

test("every user may run and schedule a default assistant, and read only their own assistants", async () => {
  await using agent = await startOwned();
  const path = `/threads/${thread(1)}`;
  const wait = await agent.call("POST", `${path}/runs/wait`, { ...body, if_not_exists: "create" }, ann);
  expect(wait).toMatchObject({ status: 200, body: { done: 1 } });
  expect((await agent.call("POST", "/runs/wait", body, ann)).status).toBe(200);
  const cron = { ...body, schedule: "0 0 * * *" };
  expect((await agent.call("POST", "/runs/crons", cron, ann)).status).toBe(200);
  expect((await agent.call("POST", `${path}/runs/crons`, cron, ann)).status).toBe(200);
  expect((await agent.call("GET", "/assistants/events", undefined, ann)).status).toBe(404);
  expect((await agent.call("GET", "/assistants/events/graph", undefined, ann)).status).toBe(404);
  expect((await agent.call("POST", "/assistants/search", {}, ann)).body).toEqual([]);
});

test("a user's assistant runs for its owner only, also beside a default one", async () => {
  await using agent = await startOwned();
  const { body: made } = await agent.call("POST", "/assistants", { graph_id: "events" }, ann);
  const batch = [{ ...body, assistant_id: made.assistant_id }, body];
  expect((await agent.call("POST", "/runs/batch", batch, ann)).status).toBe(200);
  expect((await agent.call("POST", "/runs/batch", batch, bob)).status).toBe(404);
});
