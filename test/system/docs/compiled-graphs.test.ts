import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { startProject } from "../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../mock-server/worker/load/graph-config.ts";
import { thread } from "../../kit/agent-server/agent.ts";
import { startAgentOf } from "../../kit/agent-server/compiled/project.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

test("the compiled graph of the docs interrupts, and resumes with the answer", async () => {
  const page = await readFile(join(root, "docs/guides/agent-server.md"), "utf8");
  const source = [...page.matchAll(/```ts\n(.*?)```/gs)]
    .map(([, code]) => code)
    .find((code) => code?.includes("StateGraph"));
  const folder = await mkdtemp(join(tmpdir(), "documented-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "graph.ts"), source as string);
  await writeFile(join(folder, "graph.json"), '{ "graphs": { "mail": "./graph.ts:graph" } }');

  const project = await readGraphConfig(join(folder, "graph.json"));
  await using running = await startProject(project);
  await using agent = await startAgentOf(running);
  const path = `/threads/${thread(1)}/runs/wait`;
  const interrupted = await agent.call("POST", path, {
    assistant_id: "mail",
    input: { draft: "Hi" },
    if_not_exists: "create",
  });
  expect(interrupted.body.__interrupt__).toMatchObject([{ value: { question: "Send it?", draft: "Hi" } }]);
  const done = await agent.call("POST", path, { assistant_id: "mail", command: { resume: "yes" } });
  expect(done.body).toEqual({ draft: "Hi", approved: true });
});
