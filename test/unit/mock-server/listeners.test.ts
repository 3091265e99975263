import { expect, test } from "vitest";
import { dockerBody, startForTest } from "../../kit/mock-server/api.ts";

const listenerBody = (changes: object = {}) => ({
  compute_type: "k8s",
  compute_id: "cluster",
  compute_config: { k8s_namespaces: ["agents", "tests"] },
  ...changes,
});
const unknownId = "99999999-9999-4999-8999-999999999999";

test("a listener is created, read, listed, changed and deleted", async () => {
  await using mock = await startForTest();
  const made = await mock.selfHosted("POST", "/v2/listeners", listenerBody({ version: "1" }));
  expect(made).toMatchObject({ status: 201, body: { ...listenerBody(), version: "1" } });
  const path = `/v2/listeners/${made.body.id}`;
  expect((await mock.selfHosted("GET", path)).body).toEqual(made.body);
  expect((await mock.selfHosted("GET", "/v2/listeners")).body).toEqual({ resources: [made.body], offset: 1 });
  mock.clock.advance("1m");
  const patch = { version: "2", compute_config: { k8s_namespaces: null } };
  expect((await mock.selfHosted("PATCH", path, patch)).body).toEqual({
    ...made.body,
    ...patch,
    updated_at: "2026-01-01T00:01:00.000Z",
  });
  expect((await mock.selfHosted("DELETE", path)).status).toBe(204);
  expect(await mock.selfHosted("GET", path)).toMatchObject({
    status: 404,
    body: { detail: `Listener ID ${made.body.id} not found.` },
  });
});

test("the cloud edition refuses listeners with the reason", async () => {
  await using mock = await startForTest();
  const response = await mock.cloud("POST", "/v2/listeners", listenerBody());
  expect(response).toMatchObject({ status: 403, body: { detail: expect.stringContaining("self-hosted enterprise") } });
  expect((await mock.cloud("GET", `/v2/listeners/${unknownId}`)).status).toBe(403);
  expect((await mock.cloud("PATCH", `/v2/listeners/${unknownId}`, {})).status).toBe(403);
  expect((await mock.cloud("DELETE", `/v2/listeners/${unknownId}`)).status).toBe(403);
  expect((await mock.cloud("GET", "/v2/listeners")).body).toEqual({ resources: [], offset: 0 });
});

test("a compute id is unique in its workspace, also among simultaneous creations", async () => {
  await using mock = await startForTest();
  const make = (tenant: string) => mock.selfHosted("POST", "/v2/listeners", listenerBody(), { "x-tenant-id": tenant });
  const statuses = (await Promise.all([make("one"), make("one"), make("two")])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, 201, 409]);
});

test("listeners of another workspace don't exist", async () => {
  await using mock = await startForTest();
  const { body } = await mock.selfHosted("POST", "/v2/listeners", listenerBody(), { "x-tenant-id": "one" });
  const path = `/v2/listeners/${body.id}`;
  for (const method of ["GET", "PATCH", "DELETE"]) {
    const response = await mock.selfHosted(method, path, method === "PATCH" ? {} : undefined, { "x-tenant-id": "two" });
    expect(response.status).toBe(404);
  }
});

test.each([
  ["no compute id", { compute_id: undefined }, 422],
  ["an empty compute id", { compute_id: "" }, 422],
  ["a long compute id", { compute_id: "c".repeat(256) }, 422],
  ["another compute type", { compute_type: "vm" }, 422],
  ["namespaces that are no list", { compute_config: { k8s_namespaces: "agents" } }, 422],
  ["a namespace with capitals", { compute_config: { k8s_namespaces: ["Agents"] } }, 400],
])("a listener with %s is refused", async (_, changes, status) => {
  await using mock = await startForTest();
  expect((await mock.selfHosted("POST", "/v2/listeners", listenerBody(changes))).status).toBe(status);
});

test("what identifies a listener can be sent again but not changed", async () => {
  await using mock = await startForTest();
  const { body } = await mock.selfHosted("POST", "/v2/listeners", listenerBody());
  const patch = (changes: object) => mock.selfHosted("PATCH", `/v2/listeners/${body.id}`, changes);
  expect((await patch({ compute_id: "cluster", compute_type: "k8s" })).status).toBe(200);
  expect(await patch({ compute_id: "other" })).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining("compute_id") },
  });
});

test("a deployment must name an existing listener and one of its namespaces", async () => {
  await using mock = await startForTest();
  const { body: listener } = await mock.selfHosted("POST", "/v2/listeners", listenerBody());
  const make = async (name: string, id: string, namespace?: string) => {
    const config = { resource_spec: {}, listener_id: id, listener_config: { k8s_namespace: namespace ?? null } };
    return (await mock.selfHosted("POST", "/v2/deployments", dockerBody({ name, source_config: config }))).status;
  };
  expect(await make("a", unknownId)).toBe(400);
  expect(await make("b", listener.id, "elsewhere")).toBe(400);
  expect(await make("c", listener.id, "agents")).toBe(201);
  expect(await make("d", listener.id)).toBe(201);
});

test("a listener in use can't be deleted until its deployments are gone", async () => {
  await using mock = await startForTest();
  const { body: listener } = await mock.selfHosted("POST", "/v2/listeners", listenerBody());
  const config = { resource_spec: {}, listener_id: listener.id };
  const { body: made } = await mock.selfHosted("POST", "/v2/deployments", dockerBody({ source_config: config }));
  const remove = () => mock.selfHosted("DELETE", `/v2/listeners/${listener.id}`);
  expect(await remove()).toMatchObject({ status: 409, body: { detail: expect.stringContaining(made.id) } });
  await mock.selfHosted("DELETE", `/v2/deployments/${made.id}`);
  expect((await remove()).status).toBe(204);
});
