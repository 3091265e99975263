import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyOfProject } from "../../kit/agent-server/projects/project-copy.ts";
import { startForTest } from "../../kit/mock-server/api.ts";
import { conversation } from "../../kit/mock-server/wire.ts";

const repository = "https://github.com/acme/addresses";

test("a project's app gets the requested host and path, and an invalid host is refused", async () => {
  await using project = await copyOfProject("greeter");
  const app = "export const app = { fetch: (request) => new Response(request.url) };";
  await writeFile(join(project.folder, "url.mjs"), app);
  const config = { graphs: { greeter: "./graph.ts:graph" }, http: { app: "./url.mjs:app" } };
  await writeFile(join(project.folder, "graph.json"), JSON.stringify(config));
  await using mock = await startForTest({
    allowedHosts: ["here", "["],
    repositories: { [repository]: project.folder },
  });
  const { body } = await mock.cloud("POST", "/v2/deployments", {
    name: "addresses",
    source: "github",
    source_config: { repo_url: repository },
    source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
    secrets: [],
  });
  const ask = (host: string, path: string) =>
    conversation(
      mock.url,
      `GET /agents/${body.id}${path} HTTP/1.1\r\nhost: ${host}\r\nx-api-key: key\r\nconnection: close\r\n\r\n`,
    );
  expect(await ask("here", "//elsewhere/a%23b?c=d")).toMatch(/http:\/\/here\/\/elsewhere\/a%23b\?c=d/);
  const refused = await ask("[", "/hello");
  expect(refused).toMatch(/^HTTP\/1\.1 400 /);
  expect(refused).toContain("The Host header isn't a host.");
});
