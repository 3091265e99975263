import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { startProject } from "../../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../../mock-server/worker/load/graph-config.ts";
import { thread } from "../../../kit/agent-server/agent.ts";
import { startAgentOf } from "../../../kit/agent-server/compiled/project.ts";
import { threadOf } from "../../../kit/agent-server/event-streaming.ts";

const own = fileURLToPath(new URL("../../../../node_modules/@langchain/", import.meta.url));

/** A project whose library calls itself 1.2.9 and has what that version has. */
async function projectOfEarlierLibrary(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "earlier-")));
  onTestFinished(() => rm(folder, { recursive: true }));
  const library = join(folder, "node_modules/@langchain/langgraph");
  await mkdir(library, { recursive: true });
  await symlink(join(own, "core"), join(folder, "node_modules/@langchain/core"));
  const names = Object.keys(await import("@langchain/langgraph")).filter((name) => name !== "convertToProtocolEvent");
  const text = `export { ${names.join(", ")} } from ${JSON.stringify(join(own, "langgraph/dist/index.js"))};`;
  const manifest = { name: "@langchain/langgraph", version: "1.2.9", type: "module", exports: { ".": "./index.js" } };
  await writeFile(join(library, "package.json"), JSON.stringify(manifest));
  await writeFile(join(library, "index.js"), text);
  await writeFile(
    join(folder, "graph.mjs"),
    `import { Annotation, StateGraph } from "@langchain/langgraph";
     export const graph = new StateGraph(Annotation.Root({ n: Annotation() }))
       .addNode("one", async () => ({ n: 1 })).addEdge("__start__", "one").compile();`,
  );
  const file = join(folder, "graph.json");
  await writeFile(file, JSON.stringify({ graphs: { simple: "./graph.mjs:graph" } }));
  return file;
}

test("a run of an earlier version of the library fails by saying which one it needs; others work", async () => {
  const config = await readGraphConfig(await projectOfEarlierLibrary());
  await using project = await startProject(config, { onLog: () => undefined });
  await using agent = await startAgentOf(project);
  const events = await threadOf(agent.url, agent.call, thread(1)).run("simple", {});
  expect(events.at(-1)?.params.data).toEqual({
    event: "failed",
    graph_name: "simple",
    error: "Event streaming needs @langchain/langgraph 1.3.0 or later, and the project has 1.2.9: update it there.",
  });
  const run = { assistant_id: "simple", input: {} };
  expect((await agent.call("POST", `/threads/${thread(1)}/runs/wait`, run)).body).toEqual({ n: 1 });
});
