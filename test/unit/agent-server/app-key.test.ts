import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyOfProject } from "../../kit/agent-server/projects/project-copy.ts";
import { startForTest } from "../../kit/mock-server/api.ts";

const repository = "https://github.com/acme/open";

test("with enable_custom_route_auth, a project's app requires a workspace key on every path and for every method", async () => {
  await using project = await copyOfProject("greeter");
  const app = `
    export const app = { fetch: (request) => new Response("reached " + new URL(request.url).pathname) };`;
  await writeFile(join(project.folder, "open-app.mjs"), app);
  const config = {
    graphs: { greeter: "./graph.ts:graph" },
    http: { app: "./open-app.mjs:app", disable_meta: true, enable_custom_route_auth: true },
  };
  await writeFile(join(project.folder, "graph.json"), JSON.stringify(config));
  await using mock = await startForTest({ repositories: { [repository]: project.folder } });
  const { body } = await mock.cloud("POST", "/v2/deployments", {
    name: "open",
    source: "github",
    source_config: { repo_url: repository },
    source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
    secrets: [],
  });
  const url = `${mock.url}/agents/${body.id}`;
  for (const path of ["/hello", "/info", "/docs/hello"]) {
    for (const method of ["GET", "OPTIONS"]) {
      const without = await fetch(url + path, { method });
      expect({ path, method, status: without.status }).toEqual({ path, method, status: 401 });
    }
    const response = await fetch(url + path, { headers: { "x-api-key": "any" } });
    expect(await response.text(), path).toBe(`reached ${path}`);
  }
});

test("by default a project's app needs no key, its middleware runs before keys are checked, and the build names what it replaces", async () => {
  await using project = await copyOfProject("routes");
  await using mock = await startForTest({ repositories: { [repository]: project.folder } });
  const { body } = await mock.cloud("POST", "/v2/deployments", {
    name: "open",
    source: "github",
    source_config: { repo_url: repository },
    source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
    secrets: [],
  });
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${mock.url}/agents/${body.id}${path}`, { headers });
    await response.text();
    return [response.status, response.headers.get("x-wrapped")];
  };
  expect(await get("/items/7")).toEqual([200, "true"]);
  expect(await get("/assistants/agent")).toEqual([401, "true"]);
  expect(await get("/nowhere")).toEqual([401, "true"]);
  expect(await get("/assistants/agent", { "x-api-key": "any" })).toEqual([200, "true"]);
  const logs = `/v1/projects/${body.id}/revisions/${body.latest_revision_id}/build_logs`;
  const messages = (await mock.cloud("POST", logs, {})).body.logs.map(({ message }: { message: string }) => message);
  expect(messages.join("\n")).toContain("http.app: its routes replace these of the agent server: GET /assistants/");
});
