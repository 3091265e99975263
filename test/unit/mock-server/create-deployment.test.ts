import { expect, test } from "vitest";
import { dockerBody, githubBody, startForTest } from "../../kit/mock-server/api.ts";

const github = (sourceConfig: object, revisionConfig: object = {}) =>
  githubBody({
    source_config: { repo_url: "https://github.com/acme/agents", ...sourceConfig },
    source_revision_config: { repo_ref: "main", graph_config_path: "graph.json", ...revisionConfig },
  });
const docker = (sourceConfig: object, revisionConfig: object = {}) =>
  dockerBody({
    source_config: { resource_spec: {}, ...sourceConfig },
    source_revision_config: { image_uri: "registry.example/agents:1", ...revisionConfig },
  });
const secrets = (...names: string[]) => names.map((name) => ({ name, value: "value" }));

test("a create responds 201 with the deployment and its first revision", async () => {
  await using mock = await startForTest();
  const { status, body } = await mock.cloud("POST", "/v2/deployments", githubBody());
  expect(status).toBe(201);
  expect(body).toMatchObject({
    name: "agent",
    source: "github",
    status: "READY",
    display_name: null,
    active_revision_id: body.latest_revision_id,
    created_at: "2026-01-01T00:00:00.000Z",
    source_config: { custom_url: `${mock.url}/agents/${body.id}`, build_on_push: false, resource_spec: null },
    source_revision_config: { graph_config_path: "graph.json", langgraph_config_path: "graph.json" },
  });
  expect(body.source_revision_config.repo_commit_sha).toMatch(/^[0-9a-f]{40}$/);
});

test("a create accepts the config path under its other name", async () => {
  await using mock = await startForTest();
  const config = { repo_ref: "main", langgraph_config_path: "other.json" };
  const { body } = await mock.cloud("POST", "/v2/deployments", githubBody({ source_revision_config: config }));
  expect(body.source_revision_config.graph_config_path).toBe("other.json");
});

test.each([
  ["an empty name", githubBody({ name: " " })],
  ["a display_name", githubBody({ display_name: "Agent" })],
  ["an image source on the cloud", dockerBody()],
  ["a tag with build_on_push", github({ build_on_push: true }, { repo_ref: "refs/tags/v1" })],
  ["a branch by its full path", github({}, { repo_ref: "refs/heads/main" })],
  ["no config path", github({}, { graph_config_path: null })],
  ["no repository", github({ repo_url: null })],
  ["an image with a repository", github({}, { image_uri: "image:1" })],
  ["a custom_url for a repository", github({ custom_url: "https://agent.example" })],
  ["a reserved secret", githubBody({ secrets: secrets("POSTGRES_URI") })],
  ["a secret reserved on the cloud", githubBody({ secrets: secrets("LANGSMITH_API_KEY") })],
  ["a duplicated secret", githubBody({ secrets: secrets("A", "B", "A") })],
  ["a secret without a name", githubBody({ secrets: secrets("") })],
])("the cloud refuses %s with 400 and the reason", async (_, body) => {
  await using mock = await startForTest();
  const response = await mock.cloud("POST", "/v2/deployments", body);
  expect(response).toMatchObject({ status: 400, body: { detail: expect.any(String) } });
  expect((await mock.cloud("GET", "/v2/deployments")).body.resources).toEqual([]);
});

test.each([
  ["a repository source", githubBody()],
  ["no resource_spec", docker({ resource_spec: null })],
  ["a deployment_type", docker({ deployment_type: "prod" })],
  ["no image", docker({}, { image_uri: null })],
  ["a repo_ref with an image", docker({}, { repo_ref: "main" })],
  ["a config path with an image", docker({}, { graph_config_path: "graph.json" })],
  ["a reserved secret", dockerBody({ secrets: secrets("REDIS_URI") })],
])("the self-hosted edition refuses %s with 400", async (_, body) => {
  await using mock = await startForTest();
  expect(await mock.selfHosted("POST", "/v2/deployments", body)).toMatchObject({ status: 400 });
});

test("the self-hosted edition reserves fewer names and takes a custom_url", async () => {
  await using mock = await startForTest();
  const body = { ...docker({ custom_url: "https://agent.example" }), secrets: secrets("LANGSMITH_API_KEY", "PORT") };
  const response = await mock.selfHosted("POST", "/v2/deployments", body);
  expect(response).toMatchObject({
    status: 201,
    body: { source_config: { custom_url: "https://agent.example" }, image_version: "1" },
  });
});

test.each([
  ["a missing name", githubBody({ name: undefined }), ["body", "name"], "missing"],
  ["a name that is no string", githubBody({ name: 1 }), ["body", "name"], "string_type"],
  ["an unknown source", githubBody({ source: "svn" }), ["body", "source"], "enum"],
  ["missing secrets", githubBody({ secrets: undefined }), ["body", "secrets"], "missing"],
  ["secrets that are no list", githubBody({ secrets: {} }), ["body", "secrets"], "list_type"],
  ["a secret without a value", githubBody({ secrets: [{ name: "A" }] }), ["body", "secrets", 0, "value"], "missing"],
  [
    "an unknown deployment_type",
    github({ deployment_type: "huge" }),
    ["body", "source_config", "deployment_type"],
    "enum",
  ],
  [
    "too little cpu",
    github({ resource_spec: { cpu: 0 } }),
    ["body", "source_config", "resource_spec", "cpu"],
    "greater_than_equal",
  ],
  [
    "too much cpu",
    github({ resource_spec: { cpu: 9 } }),
    ["body", "source_config", "resource_spec", "cpu"],
    "less_than_equal",
  ],
  [
    "cpu that isn't a number",
    github({ resource_spec: { cpu: "x" } }),
    ["body", "source_config", "resource_spec", "cpu"],
    "float_type",
  ],
  [
    "half a replica",
    github({ resource_spec: { min_scale: 0.5 } }),
    ["body", "source_config", "resource_spec", "min_scale"],
    "int_from_float",
  ],
  [
    "build_on_push that isn't a boolean",
    github({ build_on_push: 2 }),
    ["body", "source_config", "build_on_push"],
    "bool_type",
  ],
  ["no object", [1], ["body"], "model_attributes_type"],
  ["broken JSON", "{", ["body"], "json_invalid"],
  ["an empty body", "", ["body"], "missing"],
])("a create with %s is refused with 422 and the location", async (_, body, loc, type) => {
  await using mock = await startForTest();
  const response = await mock.cloud("POST", "/v2/deployments", body);
  expect(response.status).toBe(422);
  expect(response.body.detail).toContainEqual({ loc, type, msg: expect.any(String) });
});

test("a body over 1 MiB is refused with 413", async () => {
  await using mock = await startForTest();
  const response = await mock.cloud("POST", "/v2/deployments", githubBody({ name: "x".repeat(1024 * 1024) }));
  expect(response.status).toBe(413);
  expect((await mock.cloud("GET", "/v2/deployments")).status).toBe(200);
});

test("a streamed body over 1 MiB is refused with 413, a small one is read", async () => {
  await using mock = await startForTest();
  const send = async (text: string) => {
    const init = { method: "POST", headers: { "x-api-key": "key" }, body: new Blob([text]).stream(), duplex: "half" };
    return (await fetch(`${mock.url}/v2/deployments`, init as RequestInit)).status;
  };
  expect(await send(JSON.stringify(githubBody({ name: "x".repeat(2 * 1024 * 1024) })))).toBe(413);
  expect(await send(JSON.stringify(githubBody()))).toBe(201);
});

test("a name in use is refused with 409, but is free in another workspace or edition", async () => {
  await using mock = await startForTest();
  await mock.cloud("POST", "/v2/deployments", githubBody());
  expect((await mock.cloud("POST", "/v2/deployments", githubBody())).status).toBe(409);
  const elsewhere = { "x-tenant-id": "another-workspace" };
  expect((await mock.cloud("POST", "/v2/deployments", githubBody(), elsewhere)).status).toBe(201);
  expect((await mock.selfHosted("POST", "/v2/deployments", dockerBody())).status).toBe(201);
});

test("of simultaneous creates of one name, one succeeds", async () => {
  await using mock = await startForTest();
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => mock.cloud("POST", "/v2/deployments", githubBody())),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
});

test("a deployment belongs to the edition it was made in", async () => {
  await using mock = await startForTest();
  const { body } = await mock.cloud("POST", "/v2/deployments", githubBody());
  const response = await mock.selfHosted("GET", `/v2/deployments/${body.id}`);
  expect(response).toMatchObject({ status: 404, body: { detail: `Deployment ID ${body.id} not found.` } });
});

test("the same seed makes the same identifiers", async () => {
  await using first = await startForTest({ seed: 7 });
  await using second = await startForTest({ seed: 7 });
  const ids = await Promise.all(
    [first, second].map(async (mock) => (await mock.cloud("POST", "/v2/deployments", githubBody())).body.id),
  );
  expect(ids[0]).toBe(ids[1]);
});

test("a push token and an upload URL are for their own sources only", async () => {
  await using mock = await startForTest();
  const make = async (name: string, source: string, config: object) =>
    (
      await mock.cloud("POST", "/v2/deployments", {
        name,
        source,
        source_config: {},
        source_revision_config: config,
        secrets: [],
      })
    ).body.id;
  const image = await make("image", "internal_docker", {});
  const code = await make("code", "internal_source", { graph_config_path: "graph.json" });
  expect((await mock.cloud("POST", `/v2/deployments/${image}/push-token`)).body).toEqual({
    token: expect.any(String),
    registry_url: expect.any(String),
  });
  expect((await mock.cloud("POST", `/v2/deployments/${code}/upload-url`)).body).toEqual({
    upload_url: expect.any(String),
    object_path: expect.any(String),
  });
  expect((await mock.cloud("POST", `/v2/deployments/${code}/push-token`)).status).toBe(400);
  expect((await mock.cloud("POST", `/v2/deployments/${image}/upload-url`)).status).toBe(400);
});
