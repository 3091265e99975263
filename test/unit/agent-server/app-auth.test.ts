import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyOfProject } from "../../kit/agent-server/projects/project-copy.ts";
import { startForTest } from "../../kit/mock-server/api.ts";

const repository = "https://github.com/acme/guarded";

test("with enable_custom_route_auth, the app of a project with auth handlers is called only for users that they admit", async () => {
  await using project = await copyOfProject("greeter");
  const guard = `
    export const auth = {
      async authenticate(request) {
        if (request.headers.get("authorization") !== "Bearer good") {
          throw { status: 401, detail: "no such user" };
        }
        return { identity: "ada" };
      },
    };`;
  await writeFile(join(project.folder, "auth.mjs"), guard);
  const config = {
    graphs: { greeter: "./graph.ts:graph" },
    auth: { path: "./auth.mjs:auth" },
    http: { app: "./app.ts:app", enable_custom_route_auth: true },
  };
  await writeFile(join(project.folder, "graph.json"), JSON.stringify(config));
  await using mock = await startForTest({ repositories: { [repository]: project.folder } });
  const { body } = await mock.cloud("POST", "/v2/deployments", {
    name: "guarded",
    source: "github",
    source_config: { repo_url: repository },
    source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
    secrets: [],
  });
  const ask = async (authorization: string) => {
    const response = await fetch(`${mock.url}/agents/${body.id}/hello`, { headers: { authorization } });
    await response.text();
    return response.status;
  };
  expect(await ask("Bearer bad")).toBe(401);
  expect(await ask("Bearer good")).toBe(200);
});
