import { expect, test } from "vitest";
import { type Api, startForTest } from "../../kit/mock-server/api.ts";
import { tarball } from "../../kit/mock-server/tarball.ts";

// The requests of other clients of the platform, and the response fields they read: the deploy CLI (brand names,
// `revision_source`, uploads, short polls) and the official Terraform provider (pages of 100, whole objects on update).

const image = "registry.example/agents:2.0.0";

/** Polls like those clients, on the server's clock: one read every `everyMs`. */
async function poll(
  server: { cloud: Api; clock: { advance(ms: number): void } },
  id: string,
  revisionId: string,
  everySeconds: number,
): Promise<string[]> {
  const seen: string[] = [];
  for (let looks = 0; looks < 100; looks += 1) {
    const { status, body } = await server.cloud("GET", `/v2/deployments/${id}/revisions/${revisionId}`);
    expect(status).toBe(200);
    if (seen.at(-1) !== body.status) seen.push(body.status);
    if (body.status === "DEPLOYED" || body.status.includes("FAILED")) break;
    server.clock.advance(everySeconds);
  }
  return seen;
}

test("the Terraform provider's create, read, import, update and delete get the fields they read", async () => {
  await using server = await startForTest({ transitions: "time:60s" });
  const created = await server.cloud("POST", "/v2/deployments", {
    name: "terraformed",
    source: "github",
    source_config: {
      integration_id: "6b1f8f0e-7c5e-4b53-9d0c-7b1b6c1f2d11",
      repo_url: "https://github.com/acme/agents",
      deployment_type: "dev",
      build_on_push: false,
      custom_url: null,
      resource_spec: null,
    },
    source_revision_config: { repo_ref: "main", langgraph_config_path: "langgraph.json", image_uri: null },
    secrets: [{ name: "MODEL_KEY", value: "sk-terraform" }],
  });
  expect(created.status).toBe(201);
  const { id, latest_revision_id: first } = created.body;
  expect(await poll(server, id, first, 5)).toEqual(expect.arrayContaining(["BUILDING", "DEPLOYING", "DEPLOYED"]));

  const read = (await server.cloud("GET", `/v2/deployments/${id}`)).body;
  expect(read).toMatchObject({
    id,
    name: "terraformed",
    status: "READY",
    latest_revision_id: first,
    active_revision_id: first,
    source_config: { repo_url: "https://github.com/acme/agents", build_on_push: false },
    source_revision_config: { repo_ref: "main", langgraph_config_path: "langgraph.json" },
  });
  expect(read.source_config.custom_url).toMatch(/^http/);
  expect(read.source_revision_config.repo_commit_sha).toMatch(/^[0-9a-f]{40}$/);

  // An import knows only the id, and one read must yield what the create stored.
  const imported = (await server.cloud("GET", `/v2/deployments/${id}`)).body;
  expect(imported).toEqual(read);
  expect(imported.secrets).toEqual([{ name: "MODEL_KEY", value: "sk-terraform" }]);

  const updated = await server.cloud("PATCH", `/v2/deployments/${id}`, {
    source_config: { build_on_push: false },
    source_revision_config: { repo_ref: "next", langgraph_config_path: "langgraph.json" },
    secrets: [{ name: "MODEL_KEY", value: "sk-terraform" }],
  });
  expect(updated.status).toBe(200);
  expect(updated.body.latest_revision_id).not.toBe(first);
  expect(await poll(server, id, updated.body.latest_revision_id, 5)).toContain("DEPLOYED");

  expect((await server.cloud("DELETE", `/v2/deployments/${id}`)).status).toBe(204);
  server.clock.advance("2m");
  const gone = await server.cloud("GET", `/v2/deployments/${id}`);
  expect(gone.status).toBe(404);
  expect(gone.body.detail).toContain(id);
});

test("a listing in pages of 100 is complete and ends", async () => {
  await using server = await startForTest();
  for (let number = 0; number < 203; number += 1) {
    const { status } = await server.cloud("POST", "/v2/deployments", {
      name: `agent-${number}`,
      source: "github",
      source_config: { repo_url: "https://github.com/acme/agents", build_on_push: false },
      source_revision_config: { repo_ref: "main", langgraph_config_path: "langgraph.json" },
      secrets: [],
    });
    expect(status).toBe(201);
  }
  const names: string[] = [];
  const sizes: number[] = [];
  for (let offset = 0; ; ) {
    const { body } = await server.cloud("GET", `/v2/deployments?limit=100&offset=${offset}`);
    sizes.push(body.resources.length);
    names.push(...body.resources.map(({ name }: { name: string }) => name));
    if (body.resources.length < 100) break;
    offset = body.offset;
  }
  expect(sizes).toEqual([100, 100, 3]);
  expect(new Set(names).size).toBe(203);
});

test("the deploy CLI searches by a part of the name and selects the exact match", async () => {
  await using server = await startForTest();
  for (const name of ["agent", "agent-staging", "my-agent"]) {
    await server.cloud("POST", "/v2/deployments", {
      name,
      source: "internal_docker",
      source_config: { deployment_type: "dev" },
      source_revision_config: {},
      secrets: [],
    });
  }
  const { body } = await server.cloud("GET", "/v2/deployments?name_contains=agent&limit=100&offset=0");
  const names = body.resources.map(({ name }: { name: string }) => name);
  expect(names.filter((name: string) => name === "agent")).toHaveLength(1);
  expect(names).toHaveLength(3);
});

test("the deploy CLI pushes an image: push token, then a change that names it with `revision_source`", async () => {
  await using server = await startForTest({ transitions: "time:30s" });
  const created = await server.cloud("POST", "/v2/deployments", {
    name: "pushed",
    source: "internal_docker",
    source_config: { deployment_type: "dev" },
    source_revision_config: {},
    secrets: [{ name: "MODEL_KEY", value: "sk-cli" }],
  });
  expect(created.status).toBe(201);
  const { id, latest_revision_id: first } = created.body;
  const token = await server.cloud("POST", `/v2/deployments/${id}/push-token`, { supports_registry_username: true });
  expect(token).toMatchObject({ status: 200, body: { token: expect.any(String), registry_url: expect.any(String) } });

  const changed = await server.cloud("PATCH", `/v2/deployments/${id}`, {
    revision_source: "internal_docker",
    source_revision_config: { image_uri: image },
  });
  expect(changed.status).toBe(200);
  const { latest_revision_id: second } = changed.body;
  expect(second).not.toBe(first);
  const { body: list } = await server.cloud("GET", `/v2/deployments/${id}/revisions?limit=1`);
  expect(list.resources.map((revision: { id: string }) => revision.id)).toEqual([second]);
  expect(list.resources[0]).toMatchObject({ source: "internal_docker", source_revision_config: { image_uri: image } });
  expect((await poll(server, id, second, 1)).at(-1)).toBe("DEPLOYED");
});

test("the deploy CLI uploads a tarball: upload URL, PUT, then a change with its path, and the build log", async () => {
  await using server = await startForTest({ transitions: "time:30s" });
  const created = await server.cloud("POST", "/v2/deployments", {
    name: "uploaded",
    source: "internal_source",
    source_config: { deployment_type: "dev" },
    source_revision_config: {},
    secrets: [],
  });
  expect(created.status).toBe(201);
  const { id } = created.body;
  const upload = await server.cloud("POST", `/v2/deployments/${id}/upload-url`, { supports_upload_headers: true });
  expect(upload).toMatchObject({
    status: 200,
    body: { upload_url: expect.any(String), object_path: expect.any(String) },
  });
  const put = await fetch(upload.body.upload_url, {
    method: "PUT",
    headers: { "content-type": "application/gzip", ...upload.body.upload_headers },
    body: new Uint8Array(
      tarball([
        { path: "langgraph.json", content: JSON.stringify({ graphs: { agent: "./agent.py:graph" } }) },
        { path: "agent.py", content: "graph = None" },
      ]),
    ),
  });
  expect(put.status).toBeLessThan(300);

  const changed = await server.cloud("PATCH", `/v2/deployments/${id}`, {
    revision_source: "internal_source",
    source_revision_config: { source_tarball_path: upload.body.object_path, langgraph_config_path: "langgraph.json" },
  });
  expect(changed.status).toBe(200);
  const revisionId = changed.body.latest_revision_id;
  expect((await poll(server, id, revisionId, 3)).at(-1)).toBe("DEPLOYED");

  const path = `/v1/projects/${id}/revisions/${revisionId}/build_logs`;
  const page = await server.cloud("POST", path, { order: "asc", limit: 2 });
  expect(page.body.logs).toHaveLength(2);
  for (const line of page.body.logs) {
    expect(line).toMatchObject({ timestamp: expect.any(Number), level: "INFO", message: expect.any(String) });
  }
  const rest = await server.cloud("POST", path, { order: "asc", limit: 50, offset: page.body.next_offset });
  expect(rest.body.logs.length).toBeGreaterThan(0);
  expect(rest.body.next_offset).toBeNull();
  expect((await server.cloud("POST", `/v1/projects/${id}/deploy_logs`, {})).body.logs.length).toBeGreaterThan(0);
});

test("push tokens and upload URLs are for their own sources only", async () => {
  await using server = await startForTest();
  const { body } = await server.cloud("POST", "/v2/deployments", {
    name: "from-git",
    source: "github",
    source_config: { repo_url: "https://github.com/acme/agents", build_on_push: false },
    source_revision_config: { repo_ref: "main", langgraph_config_path: "langgraph.json" },
    secrets: [],
  });
  for (const action of ["push-token", "upload-url"]) {
    const response = await server.cloud("POST", `/v2/deployments/${body.id}/${action}`, {});
    expect(response).toMatchObject({ status: 400, body: { detail: expect.stringContaining("source") } });
  }
});
