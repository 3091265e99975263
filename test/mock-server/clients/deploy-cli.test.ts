import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../support/python/run.ts";
import { virtualEnvironment } from "../../support/python/virtual-environment.ts";
import { startForTest } from "../api.ts";

const python = await virtualEnvironment("langgraph-cli==0.4.40");
const skip = python.missing === undefined ? "" : ` (skipped: ${python.missing})`;

test.skipIf(skip)(`the deploy CLI creates, updates, lists, reads logs and deletes${skip}`, async () => {
  if (python.missing !== undefined) throw new Error(python.missing);
  await using mock = await startForTest();
  const folder = await mkdtemp(join(tmpdir(), "deploy-cli-"));
  try {
    await writeFile(
      join(folder, "langgraph.json"),
      JSON.stringify({ dependencies: ["."], graphs: { agent: "./agent.py:graph" } }),
    );
    await writeFile(join(folder, "agent.py"), "graph = None\n");
    const env = { LANGSMITH_API_KEY: "test-key", LANGGRAPH_CLI_NO_ANALYTICS: "1", HOME: folder };
    const deploy = (...args: string[]) => {
      const all = ["deploy", ...args, "--host-url", mock.url];
      return run(python.command("langgraph"), all, { cwd: folder, env });
    };

    const created = await deploy("--name", "from-cli", "--remote", "--no-input");
    expect(created).toMatchObject({ code: 0, output: expect.stringContaining("Deployment successful") });
    const { body: page } = await mock.cloud("GET", "/v2/deployments");
    const [deployment] = page.resources;
    expect(deployment).toMatchObject({ name: "from-cli", source: "internal_source" });

    const updated = await deploy("--deployment-id", deployment.id, "--remote", "--no-input");
    expect(updated.output).toContain("Deployment successful");
    const { body: after } = await mock.cloud("GET", `/v2/deployments/${deployment.id}`);
    expect(after.latest_revision_id).not.toBe(deployment.latest_revision_id);

    const [list, revisions, logs] = await Promise.all([
      deploy("list"),
      deploy("revisions", "list", deployment.id),
      deploy("logs", "--deployment-id", deployment.id, "--type", "build"),
    ]);
    expect(list.output).toContain(`${mock.url}/agents/${deployment.id}`);
    expect(revisions.output).toContain(after.latest_revision_id);
    expect(logs.output).toContain("Found the graphs agent");

    const deleted = await deploy("delete", "--force", deployment.id);
    expect(deleted).toMatchObject({ code: 0, output: expect.stringContaining("Deleted deployment") });
    expect((await mock.cloud("GET", "/v2/deployments")).body.resources).toEqual([]);
    expect(mock.requests({ unmatched: true })).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
