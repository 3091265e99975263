import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyOfProject } from "../../../kit/agent-server/projects/project-copy.ts";
import { apiOf, githubBody, startForTest } from "../../../kit/mock-server/api.ts";

const repository = "https://github.com/acme/agents";

/** A deployment whose project has a mount prefix. */
async function startMounted() {
  const project = await copyOfProject("greeter");
  const http = { mount_prefix: "/api/v1/", app: "./app.ts:app" };
  const config = { graphs: { greeter: "./graph.ts:graph" }, http };
  await writeFile(join(project.folder, "graph.json"), JSON.stringify(config));
  const mock = await startForTest({ repositories: { [repository]: project.folder } });
  const { body } = await mock.cloud("POST", "/v2/deployments", githubBody());
  return {
    root: apiOf(body.source_config.custom_url),
    mounted: apiOf(`${body.source_config.custom_url}/api/v1`),
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}

test("a mount prefix precedes all paths of the agent server, and appears in the addresses in its responses", async () => {
  await using server = await startMounted();
  const { body: thread } = await server.mounted("POST", "/threads", {});
  const path = `/threads/${thread.thread_id}/runs`;
  const input = { assistant_id: "greeter", input: { name: "Ada" } };
  for (const way of ["wait", "stream"]) {
    const response = await server.mounted("POST", `${path}/${way}`, input);
    expect(response.status).toBe(200);
    const location = response.headers.get("location") as string;
    expect(location.startsWith(`/api/v1${path}/`)).toBe(true);
    expect(response.headers.get("content-location")?.startsWith(`/api/v1${path}/`)).toBe(true);
    expect((await server.root("GET", location)).status).toBe(200);
    // The official clients append paths to the URL that they were given.
    expect((await server.mounted("GET", location)).status).toBe(200);
  }
});

test("outside its mount prefix, an agent server serves only its health check", async () => {
  await using server = await startMounted();
  expect((await server.root("GET", "/ok")).status).toBe(200);
  expect(await server.root("POST", "/threads", {})).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining("/api/v1") },
  });
  expect((await server.root("GET", "/api/v12/ok")).status).toBe(404);
  expect((await server.root("GET", "/api/v1")).status).not.toBe(401);
});

test("keys are required under a mount prefix as without one", async () => {
  await using server = await startMounted();
  const keyless = { "x-api-key": "" };
  expect((await server.mounted("POST", "/threads", {}, keyless)).status).toBe(401);
  expect((await server.mounted("GET", "/info", undefined, keyless)).status).toBe(200);
  expect((await server.mounted("GET", "/openapi.json", undefined, keyless)).status).toBe(200);
});

test("behind a proxy that strips the mount prefix and says so, paths have none, and addresses in responses do", async () => {
  await using server = await startMounted();
  const stripped = { "x-forwarded-prefix": "/api/v1" };
  const { body: thread } = await server.root("POST", "/threads", {}, stripped);
  const path = `/threads/${thread.thread_id}/runs/wait`;
  const input = { assistant_id: "greeter", input: { name: "Ada" } };
  const response = await server.root("POST", path, input, stripped);
  expect(response.status).toBe(200);
  expect(response.headers.get("location")).toMatch(/^\/api\/v1\/threads\//);
  expect((await server.root("POST", "/threads", {}, { "x-forwarded-prefix": "/other" })).status).toBe(404);
});
