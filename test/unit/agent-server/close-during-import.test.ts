import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../../kit/agent-server/agent.ts";
import { copyOfProject } from "../../kit/agent-server/projects/project-copy.ts";
import { githubBody, startForTest } from "../../kit/mock-server/api.ts";

const url = "https://github.com/acme/endless";

test("a server can be reset and closed while a build's import never ends", { timeout: 30_000 }, async () => {
  await using project = await copyOfProject("greeter");
  const begun = join(project.folder, "begun");
  const module = `import { writeFileSync } from "node:fs";
export const greeting = "Hello";
writeFileSync(${JSON.stringify(begun)}, "");
for (;;);`;
  await writeFile(join(project.folder, "greeting.ts"), module);
  await using mock = await startForTest({ repositories: { [url]: project.folder } });
  const creation = mock.cloud("POST", "/v2/deployments", githubBody({ source_config: { repo_url: url } }));
  await until(async () => existsSync(begun));
  await mock.reset({ confirm: true });
  const { status, body } = await creation;
  expect(status).toBe(201);
  const revision = `/v2/deployments/${body.id}/revisions/${body.latest_revision_id}`;
  expect((await mock.cloud("GET", revision)).body.status).toBe("BUILD_FAILED");
  const { logs } = (
    await mock.cloud("POST", `/v1/projects/${body.id}/revisions/${body.latest_revision_id}/build_logs`, {})
  ).body;
  expect(logs.at(-1).message).toContain("no longer served");
});
