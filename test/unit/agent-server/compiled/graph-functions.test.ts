import { afterAll, expect, test } from "vitest";
import { thread } from "../../../kit/agent-server/agent.ts";
import { startAgentOf, startProject } from "../../../kit/agent-server/compiled/project.ts";

const worker = await startProject("surroundings", { config: "made.json" });
const guarded = await startProject("surroundings", { config: "made-guarded.json" });
afterAll(() => Promise.all([worker.close(), guarded.close()]));

const path = `/threads/${thread(1)}`;
const nodesOf = ({ nodes }: { nodes: { id: string }[] }) => nodes.map(({ id }) => id);

test("a thread's states are read and changed with the graph that its run's config produces", async () => {
  await using agent = await startAgentOf(worker);
  const body = { assistant_id: "named", input: {}, if_not_exists: "create", config: { configurable: { name: "x" } } };
  await agent.call("POST", `${path}/runs/wait`, { ...body, interrupt_before: ["x"] });
  expect((await agent.call("GET", path)).body).toMatchObject({ config: { configurable: { name: "x" } } });
  const waiting = { next: ["x"], tasks: [{ name: "x" }] };
  expect((await agent.call("GET", `${path}/state`)).body).toMatchObject(waiting);
  expect((await agent.call("GET", `${path}/history`)).body[0]).toMatchObject(waiting);
  const { thread_id: copy } = (await agent.call("POST", `${path}/copy`)).body;
  expect((await agent.call("GET", `/threads/${copy}/state`)).body).toMatchObject(waiting);
  const updated = await agent.call("POST", `${path}/state`, { values: { by: "hand" }, as_node: "x" });
  expect(updated.status).toBe(200);
  expect((await agent.call("GET", `${path}/state`)).body).toMatchObject({ values: { by: "hand" }, next: [] });
});

test("a run without a config uses its thread's config", async () => {
  await using agent = await startAgentOf(worker);
  const run = { assistant_id: "tenant", input: {}, if_not_exists: "create" };
  await agent.call("POST", `${path}/runs/wait`, { ...run, config: { configurable: { tenant: "a" } } });
  const config = { configurable: { tone: "kind" } };
  for (const next of [run, { ...run, config }]) {
    expect((await agent.call("POST", `${path}/runs/wait`, next)).body).toEqual({ by: "A" });
    expect(await agent.call("GET", `${path}/state`)).toMatchObject({ status: 200, body: { values: { by: "A" } } });
  }
  const { thread_id: copy } = (await agent.call("POST", `${path}/copy`)).body;
  expect((await agent.call("POST", `/threads/${copy}/runs/wait`, run)).body).toEqual({ by: "A" });
});

test("drawings and schemas show the graph that the assistant's config produces", async () => {
  await using agent = await startAgentOf(worker);
  const created = { graph_id: "named", config: { configurable: { name: "x" } } };
  const { assistant_id: id } = (await agent.call("POST", "/assistants", created)).body;
  const drawn = async (assistant: string) => nodesOf((await agent.call("GET", `/assistants/${assistant}/graph`)).body);
  expect(await drawn(id)).toContain("x");
  expect(await drawn("named")).toContain("unnamed");
  const ofTenant = { graph_id: "tenant", config: { configurable: { tenant: "acme" } } };
  const { assistant_id: tenant } = (await agent.call("POST", "/assistants", ofTenant)).body;
  expect(await drawn(tenant)).toContain("ACME");
  for (const place of ["schemas", "subgraphs"]) {
    expect((await agent.call("GET", `/assistants/${tenant}/${place}`)).status).toBe(200);
  }
});

test("a function that throws is an error with its message, wherever its graph is used", async () => {
  await using agent = await startAgentOf(worker);
  const detail = expect.stringMatching(/^Graph "tenant" can't be made for this config: TypeError: Cannot read/);
  for (const place of ["graph", "schemas", "subgraphs", "subgraphs/x"]) {
    const response = await agent.call("GET", `/assistants/tenant/${place}`);
    expect(response, place).toMatchObject({ status: 422, body: { detail } });
  }
  const body = {
    assistant_id: "tenant",
    input: {},
    if_not_exists: "create",
    config: { configurable: { tenant: "a" } },
  };
  expect((await agent.call("POST", `${path}/runs/wait`, body)).body).toEqual({ by: "A" });
  const config = { configurable: { tenant: null } };
  const failed = (await agent.call("POST", `${path}/runs/wait`, { assistant_id: "tenant", input: {}, config })).body;
  expect(failed.__error__).toMatchObject({ error: "TypeError" });
  expect(await agent.call("GET", `${path}/state`)).toMatchObject({ status: 422, body: { detail } });
  const unused = { thread_id: thread(2), metadata: { graph_id: "tenant" } };
  await agent.call("POST", "/threads", unused);
  expect(await agent.call("GET", `/threads/${thread(2)}/history`)).toMatchObject({ status: 200, body: [] });
  expect((await agent.call("POST", `${path}/state`, { values: { by: "b" } })).status).toBe(422);
  expect(agent.defects).toEqual([]);
});

test("a graph that a function creates for a user is the caller's", async () => {
  await using agent = await startAgentOf(guarded);
  const ann = { authorization: "Bearer ann" };
  const body = { assistant_id: "mine", input: {}, if_not_exists: "create", interrupt_before: "*" };
  await agent.call("POST", `${path}/runs/wait`, body, ann);
  expect((await agent.call("GET", `${path}/state`, undefined, ann)).body.next).toEqual(["ann"]);
  expect(nodesOf((await agent.call("GET", "/assistants/mine/graph", undefined, ann)).body)).toContain("ann");
  expect((await agent.call("GET", path, undefined, ann)).body.status).toBe("interrupted");
});
