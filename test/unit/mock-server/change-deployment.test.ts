import { expect, test } from "vitest";
import { dockerBody, githubBody, startForTest } from "../../kit/mock-server/api.ts";

const secret = [{ name: "TOKEN", value: "first-secret" }];

test.each([
  ["display_name", { display_name: "Agent" }],
  ["build_on_push", { source_config: { build_on_push: true } }],
  [
    "null fields",
    { secrets: null, source_config: { resource_spec: null }, source_revision_config: { repo_ref: null } },
  ],
  ["an empty list of secrets", { secrets: [] }],
  ["nothing", {}],
  ["a name, which is no field of a patch", { name: "another" }],
])("a patch of %s makes no revision", async (_, patch) => {
  await using mock = await startForTest();
  const { body: before } = await mock.cloud("POST", "/v2/deployments", githubBody({ secrets: secret }));
  const { status, body } = await mock.cloud("PATCH", `/v2/deployments/${before.id}`, patch);
  expect(status).toBe(200);
  expect(body).toMatchObject({ name: "agent", latest_revision_id: before.latest_revision_id, secrets: secret });
});

test.each([
  ["an unchanged repo_ref", { source_revision_config: { repo_ref: "main" } }],
  ["a config path", { source_revision_config: { langgraph_config_path: "b.json" } }],
  ["secrets", { secrets: [{ name: "OTHER", value: "second-secret" }] }],
  ["secret_references", { secret_references: [] }],
  ["a resource_spec", { source_config: { resource_spec: { cpu: 1 } } }],
  ["an install_command", { source_config: { install_command: "npm ci" } }],
  ["a build_command", { source_config: { build_command: "npm run build" } }],
])("a patch of %s makes one new revision", async (_, patch) => {
  await using mock = await startForTest();
  const { body: before } = await mock.cloud("POST", "/v2/deployments", githubBody({ secrets: secret }));
  const { body: after } = await mock.cloud("PATCH", `/v2/deployments/${before.id}`, patch);
  const { body: list } = await mock.cloud("GET", `/v2/deployments/${before.id}/revisions`);
  expect(list.resources.map(({ id }: { id: string }) => id)).toEqual([
    after.latest_revision_id,
    before.latest_revision_id,
  ]);
});

test("secrets and resource_spec are replaced completely", async () => {
  await using mock = await startForTest();
  const { body: made } = await mock.cloud(
    "POST",
    "/v2/deployments",
    githubBody({
      secrets: secret,
      source_config: {
        repo_url: "https://github.com/acme/agents",
        resource_spec: { cpu: 1, memory_mb: 512, volumes: [] },
      },
    }),
  );
  const other = [{ name: "OTHER", value: "second-secret" }];
  const patch = { secrets: other, source_config: { resource_spec: { cpu: 2 } } };
  const { body } = await mock.cloud("PATCH", `/v2/deployments/${made.id}`, patch);
  expect(body.secrets).toEqual(other);
  expect(body.source_config.resource_spec).toEqual({ cpu: 2 });
});

test("a custom_url of an image changes without a revision", async () => {
  await using mock = await startForTest();
  const { body: made } = await mock.selfHosted("POST", "/v2/deployments", dockerBody());
  const patch = { source_config: { custom_url: "https://agent.example" } };
  const { body } = await mock.selfHosted("PATCH", `/v2/deployments/${made.id}`, patch);
  expect(body.latest_revision_id).toBe(made.latest_revision_id);
  expect(body.source_config.custom_url).toBe("https://agent.example");
});

test.each([
  ["another repository", { source_config: { repo_url: "https://github.com/acme/other" } }],
  ["another integration", { source_config: { integration_id: "integration-2" } }],
  ["another type", { source_config: { deployment_type: "prod" } }],
  ["a listener", { source_config: { listener_id: "listener" } }],
  ["a namespace", { source_config: { listener_config: { k8s_namespace: "agents" } } }],
  ["a template", { source_config: { template_id: "template" } }],
  ["an image", { source_revision_config: { image_uri: "image:1" } }],
  ["an empty display_name", { display_name: "" }],
  ["a full branch path", { source_revision_config: { repo_ref: "refs/heads/main" } }],
  [
    "a tag that would be built on push",
    { source_config: { build_on_push: true }, source_revision_config: { repo_ref: "refs/tags/v1" } },
  ],
  ["a reserved secret", { secrets: [{ name: "DATABASE_URI", value: "x" }] }],
])("a patch with %s is 400 and changes nothing", async (_, patch) => {
  await using mock = await startForTest();
  const { body: before } = await mock.cloud("POST", "/v2/deployments", githubBody());
  const response = await mock.cloud("PATCH", `/v2/deployments/${before.id}`, patch);
  expect(response).toMatchObject({ status: 400, body: { detail: expect.any(String) } });
  expect((await mock.cloud("GET", `/v2/deployments/${before.id}`)).body).toEqual(before);
});

test("immutable fields may be sent with the values they have", async () => {
  await using mock = await startForTest();
  const { body: before } = await mock.cloud("POST", "/v2/deployments", githubBody());
  const { integration_id, repo_url } = before.source_config;
  const patch = { source_config: { integration_id, repo_url } };
  expect((await mock.cloud("PATCH", `/v2/deployments/${before.id}`, patch)).status).toBe(200);
});

test("turning build_on_push on is refused while the ref is a tag", async () => {
  await using mock = await startForTest();
  const config = { repo_ref: "refs/tags/v1", graph_config_path: "graph.json" };
  const { body } = await mock.cloud("POST", "/v2/deployments", githubBody({ source_revision_config: config }));
  const patch = { source_config: { build_on_push: true } };
  expect((await mock.cloud("PATCH", `/v2/deployments/${body.id}`, patch)).status).toBe(400);
});

test("concurrent patches are all applied", async () => {
  await using mock = await startForTest();
  const { body: made } = await mock.cloud("POST", "/v2/deployments", githubBody());
  const patch = { source_revision_config: { repo_ref: "main" } };
  await Promise.all(Array.from({ length: 5 }, () => mock.cloud("PATCH", `/v2/deployments/${made.id}`, patch)));
  const { body: list } = await mock.cloud("GET", `/v2/deployments/${made.id}/revisions`);
  expect(list.resources).toHaveLength(6);
});

test("a deletion finishes at once in immediate mode", async () => {
  await using mock = await startForTest();
  const { body: made } = await mock.cloud("POST", "/v2/deployments", githubBody());
  expect((await mock.cloud("DELETE", `/v2/deployments/${made.id}?delete_tracing_project=true`)).status).toBe(204);
  expect((await mock.cloud("GET", `/v2/deployments/${made.id}`)).status).toBe(404);
  expect((await mock.cloud("POST", "/v2/deployments", githubBody())).status).toBe(201);
});

test("a deletion takes time, keeps the name in use and ends in 404", async () => {
  await using mock = await startForTest({ transitions: "time:100s" });
  const { body: made } = await mock.cloud("POST", "/v2/deployments", githubBody());
  const path = `/v2/deployments/${made.id}`;
  await mock.cloud("DELETE", path);
  expect((await mock.cloud("GET", path)).body.status).toBe("AWAITING_DELETE");
  expect((await mock.cloud("PATCH", path, { display_name: "x" })).status).toBe(400);
  mock.clock.advance("20s");
  expect((await mock.cloud("GET", path)).body.status).toBe("AWAITING_FINAL_DELETE");
  expect((await mock.cloud("POST", "/v2/deployments", githubBody())).status).toBe(409);
  mock.clock.advance("20s");
  expect((await mock.cloud("GET", path)).status).toBe(404);
  expect((await mock.cloud("GET", "/v2/deployments")).body.resources).toEqual([]);
  expect((await mock.cloud("POST", "/v2/deployments", githubBody())).status).toBe(201);
});

test("a manual deletion is advanced step by step", async () => {
  await using mock = await startForTest({ transitions: "manual" });
  const { body: made } = await mock.cloud("POST", "/v2/deployments", githubBody());
  const path = `/v2/deployments/${made.id}`;
  await mock.cloud("DELETE", path);
  await mock.deployments.advance(made.id);
  expect((await mock.cloud("GET", path)).body.status).toBe("AWAITING_FINAL_DELETE");
  await mock.deployments.advance(made.id);
  expect((await mock.cloud("GET", path)).status).toBe(404);
});

test("deleting several deployments reports each one; if none is known, the status is 404", async () => {
  await using mock = await startForTest();
  const make = async (name: string) => (await mock.cloud("POST", "/v2/deployments", githubBody({ name }))).body.id;
  const [first, second, third] = [await make("a"), await make("b"), await make("c")];
  const unknown = "00000000-0000-4000-8000-00000000000f";
  const remove = (...ids: string[]) =>
    mock.cloud("DELETE", `/v2/deployments?${ids.map((id) => `deployment_ids=${id}`).join("&")}`);
  expect(await remove(first, second)).toMatchObject({ status: 200 });
  const partial = await remove(third, unknown);
  expect(partial.status).toBe(207);
  expect(partial.body.results).toMatchObject([
    { deployment_id: third, status: 204 },
    { deployment_id: unknown, status: 404 },
  ]);
  expect((await remove(unknown)).status).toBe(404);
  expect((await mock.cloud("DELETE", "/v2/deployments")).body.detail[0]).toMatchObject({
    loc: ["query", "deployment_ids"],
    type: "missing",
  });
});
