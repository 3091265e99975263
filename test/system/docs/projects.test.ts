import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { devCommand } from "../../../mock-server/dev-command.ts";
import { mockCommand } from "../../../mock-server/mock-command.ts";
import type { MockServer } from "../../../mock-server/server.ts";
import { copyOfProject } from "../../kit/agent-server/projects/project-copy.ts";
import { checkout } from "../../kit/pulumi/command-line.ts";

/** The page's only code block that contains `part`. */
async function block(page: string, part: string): Promise<string> {
  const text = await readFile(join(checkout, "docs/guides", page), "utf8");
  const found = [...text.matchAll(/```\w+\n([\s\S]*?)```/g)].map(([, code]) => code as string);
  const [code, ...others] = found.filter((candidate) => candidate.includes(part));
  expect(others).toEqual([]);
  return code ?? "";
}

/** The arguments of a command in the docs, with some of them replaced by `change`. */
async function argumentsOf(page: string, part: string, change: Record<string, string>): Promise<string[]> {
  const [, , , ...words] = (await block(page, part)).trim().split(/\s+/);
  return [...words.map((word) => change[word] ?? word), "--log-format", "json"];
}

test("the dev command of the docs serves the project of the docs, with its app", async () => {
  await using project = await copyOfProject("greeter");
  const { folder } = project;
  await writeFile(join(folder, "graph.json"), await block("agent-server.md", "disable_store"));
  await writeFile(join(folder, "app.ts"), await block("agent-server.md", "export const app"));
  await writeFile(join(folder, ".env"), "PLACE=the docs\n");
  const words = await argumentsOf("agent-server.md", "graphdeploy dev --config", {
    "graph.json": join(folder, "graph.json"),
    "2024": "0",
  });
  const server = await new Promise<{ url: string; close(): Promise<void> }>((resolve, reject) => {
    devCommand(resolve).parseAsync(words, { from: "user" }).catch(reject);
  });
  try {
    const body = JSON.stringify({ assistant_id: "agent", input: { name: "Ada" } });
    const run = await fetch(`${server.url}/runs/wait`, { method: "POST", body });
    expect(await run.json()).toMatchObject({ greeting: "Hello Ada from the docs" });
    expect(await (await fetch(`${server.url}/hello/Ada`)).json()).toEqual({ hello: "Ada" });
    const searched = await fetch(`${server.url}/threads/search`, { method: "POST" });
    expect([searched.status, searched.headers.get("x-served-by")]).toEqual([200, "example"]);
    expect((await fetch(`${server.url}/store/items`)).status).toBe(404);
  } finally {
    await server.close();
  }
});

test("the mock command of the docs runs the graphs of a folder", async () => {
  await using project = await copyOfProject("greeter");
  await copyFile(join(project.folder, "graph.json"), join(project.folder, "langgraph.json"));
  const words = await argumentsOf("mock-server.md", "--repo https", {
    "https://github.com/acme/agents=.": `https://github.com/acme/agents=${project.folder}`,
  });
  await using mock = await new Promise<MockServer>((resolve, reject) => {
    mockCommand(resolve)
      .parseAsync([...words, "--port", "0"], { from: "user" })
      .catch(reject);
  });
  const { deployments } = await mock.seed({
    deployments: [
      {
        name: "agents",
        source: "github",
        source_config: { repo_url: "https://github.com/acme/agents" },
        source_revision_config: { repo_ref: "main", graph_config_path: "langgraph.json" },
      },
    ],
  });
  const headers = { "x-api-key": "any" };
  const agent = `${mock.url}/agents/${deployments[0]?.id}`;
  expect((await fetch(`${agent}/assistants/greeter`, { headers })).status).toBe(200);
});
