import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { BadRequestError, ConfigError, ServerError } from "../../../core/client/errors.ts";
import type { Deployment } from "../../../core/client/wire/deployments.ts";
import { ensureExists } from "../../../core/reconcile/create.ts";
import type { ProgressEvent } from "../../../core/rollout/waiting.ts";
import { declaration, deployment } from "../../kit/deployments.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import { type ScriptedResponse, type ScriptedServer, startScriptedServer } from "../../kit/scripted-server.ts";

type Post = ScriptedResponse | "reset";

/**
 * A server that responds to the n-th POST with the n-th of `posts`; `found(posts so far)` is the result of looking up
 * the name. `Date` is 2026-11-01T12:00:00Z.
 */
async function scripted(posts: Post[], found: (postsSoFar: number) => Deployment | undefined): Promise<ScriptedServer> {
  let made = 0;
  return startScriptedServer(({ method, path }) => {
    if (method === "POST") {
      made += 1;
      return posts[made - 1] ?? { status: 201, body: deployment() };
    }
    const item = found(made);
    if (item !== undefined && path.endsWith(item.id)) return { body: item };
    const body = { resources: item === undefined ? [] : [item], offset: 1 };
    return { body, headers: { date: "Sun, 01 Nov 2026 12:00:00 GMT" } };
  });
}

function clientOf(server: ScriptedServer): ControlPlane {
  return new ControlPlane({ baseUrl: server.url, apiKey: "key-of-the-test", clock: new FakeClock(), random: () => 0 });
}

const posts = (server: ScriptedServer) => server.calls().filter((call) => call.startsWith("POST")).length;

test("a name that is free is created with one POST", async () => {
  await using server = await scripted([], () => undefined);
  const { origin } = await ensureExists(clientOf(server), declaration({ env: { MODE: "a" } }), {
    claim: { owner: "acme/bot#a.yaml" },
  });
  expect(origin).toBe("created");
  expect(server.calls()).toEqual(["GET /v2/deployments", "POST /v2/deployments"]);
  expect(server.requests[1]?.body).toEqual({
    name: "support-bot",
    source: "github",
    source_config: { integration_id: "integration-1", repo_url: "https://github.com/acme/bot", deployment_type: "dev" },
    source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
    secrets: [
      { name: "MODE", value: "a" },
      { name: "GRAPHDEPLOY_MANAGED_BY", value: "acme/bot#a.yaml" },
    ],
  });
});

test("a tag is created with build_on_push false", async () => {
  await using server = await scripted([], () => undefined);
  const desired = declaration({ sourceRevisionConfig: { repoRef: "refs/tags/v1", graphConfigPath: "graph.json" } });
  await ensureExists(clientOf(server), desired);
  expect(server.requests[1]?.body).toMatchObject({ source_config: { build_on_push: false } });
});

test("an image is created with a resource spec, empty if need be", async () => {
  await using server = await scripted([], () => undefined);
  await ensureExists(clientOf(server), {
    name: "a",
    source: "external_docker",
    sourceRevisionConfig: { imageUri: "a:1" },
  });
  expect(server.requests[1]?.body).toMatchObject({ source_config: { resource_spec: {} } });
});

test("a name in use is refused, naming adopt", async () => {
  await using server = await scripted([], () => deployment());
  const refusal = ensureExists(clientOf(server), declaration());
  await expect(refusal).rejects.toBeInstanceOf(ConfigError);
  await expect(refusal).rejects.toMatchObject({ path: "name", hint: expect.stringContaining("`adopt`") });
  expect(posts(server)).toBe(0);
});

test("a longer name that contains the declared one is not in use", async () => {
  await using server = await scripted([], () => deployment({ name: "support-bot-2" }));
  expect((await ensureExists(clientOf(server), declaration())).origin).toBe("created");
});

test("with adopt, the deployment of that name is kept", async () => {
  await using server = await scripted([], () => deployment());
  expect((await ensureExists(clientOf(server), declaration(), { adopt: true })).origin).toBe("adopted");
});

test.each<[string, Post]>([
  ["a cut connection", "reset"],
  ["502", { status: 502 }],
  ["a body that was cut", { status: 201, body: '{"id": "' }],
  ["a body of another shape", { status: 201, body: { ok: true } }],
])("after %s, a deployment with all signs of ours counts as created", async (_, post) => {
  await using server = await scripted([post], (made) => (made > 0 ? deployment() : undefined));
  const { origin, deployment: found } = await ensureExists(clientOf(server), declaration());
  expect(origin).toBe("created");
  expect(found.id).toBe(deployment().id);
  expect(posts(server)).toBe(1);
});

test.each<[string, Partial<Deployment>]>([
  ["older than the search", { created_at: "2026-11-01T11:59:59Z" }],
  ["of unknown age", { created_at: null }],
  ["of another repository", { source_config: { repo_url: "https://github.com/other/bot" } }],
  ["of another source", { source: "internal_source" }],
  ["marked by somebody else", { secrets: [{ name: "GRAPHDEPLOY_MANAGED_BY", value: "other/bot#b.yaml" }] }],
])("after an unknown outcome, a deployment %s doesn't count as ours", async (_, changes) => {
  await using server = await scripted(["reset"], (made) => (made > 0 ? deployment(changes) : undefined));
  const refusal = ensureExists(clientOf(server), declaration(), { claim: { owner: "acme/bot#a.yaml" } });
  await expect(refusal).rejects.toBeInstanceOf(ConfigError);
  expect(posts(server)).toBe(1);
});

test("after an unknown outcome without a deployment, the POST is retried", async () => {
  await using server = await scripted(["reset", { status: 503 }], () => undefined);
  expect((await ensureExists(clientOf(server), declaration())).origin).toBe("created");
  expect(posts(server)).toBe(3);
});

test("a creation that never succeeds ends with the server's error", async () => {
  const broken = Array.from({ length: 20 }, () => ({ status: 500, body: { detail: "broken" } }));
  await using server = await scripted(broken, () => undefined);
  const events: ProgressEvent[] = [];
  const creation = ensureExists(clientOf(server), declaration(), { onProgress: (event) => events.push(event) });
  await expect(creation).rejects.toBeInstanceOf(ServerError);
  expect(posts(server)).toBe(6);
  // The outage is reported once, and the number of attempts at the end.
  expect(events).toEqual([
    { type: "warning", message: expect.stringContaining("checking whether it took effect") },
    { type: "warning", message: expect.stringContaining("was sent 6 times without a response") },
  ]);
});

test("a retried POST that finds its own earlier deployment counts as created", async () => {
  const conflict = { status: 409, body: { detail: "name in use" } };
  await using server = await scripted(["reset", conflict], (made) => (made > 1 ? deployment() : undefined));
  expect((await ensureExists(clientOf(server), declaration())).origin).toBe("created");
});

test.each([409, 400])("a %i for a name that was taken in the meantime is a name in use", async (status) => {
  const refusal = { status, body: { detail: "name already exists" } };
  await using server = await scripted([refusal], (made) => (made > 0 ? deployment() : undefined));
  await expect(ensureExists(clientOf(server), declaration())).rejects.toMatchObject({ path: "name" });
});

test("a 400 for another reason stays what it is", async () => {
  await using server = await scripted([{ status: 400, body: { detail: "bad integration" } }], () => undefined);
  await expect(ensureExists(clientOf(server), declaration())).rejects.toBeInstanceOf(BadRequestError);
});

test("a response with only the ids is completed by reading the deployment", async () => {
  await using server = await startScriptedServer(({ method, path }) => {
    if (method === "POST") return { status: 201, body: { id: deployment().id, latest_revision_id: "r" } };
    return { body: path === "/v2/deployments" ? { resources: [], offset: 0 } : deployment() };
  });
  expect((await ensureExists(clientOf(server), declaration())).deployment).toEqual(deployment());
});
