import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { builtInGraphs } from "../../../mock-server/graphs/built-in-graphs.ts";
import { readGraphs } from "../../../mock-server/graphs/declared/read-graphs.ts";
import { startAgent, thread } from "../../kit/agent-server/agent.ts";

const page = await readFile(new URL("../../../docs/guides/agent-server.md", import.meta.url), "utf8");
const library = new URL("../../../mock-server/index.ts", import.meta.url);
const folder = await mkdtemp(join(tmpdir(), "documented-graphs-"));
afterAll(() => rm(folder, { recursive: true }));

/** The page's only code block that contains `part`, written to a file. */
async function example(part: string, name: string): Promise<string> {
  const blocks = [...page.matchAll(/```\w+\n([\s\S]*?)```/g)].map(([, code]) => code as string);
  const found = blocks.filter((code) => code.includes(part));
  expect(found, part).toHaveLength(1);
  const file = join(folder, name);
  await writeFile(file, (found[0] as string).replace('"graphdeploy/mock-server"', `"${fileURLToPath(library)}"`));
  return file;
}

test("the declared graphs of the docs do what they say", async () => {
  const graphs = await readGraphs(await example("triage:", "graphs.yaml"), builtInGraphs);
  await using agent = await startAgent({ graphs });
  agent.clock.resume();
  const run = (body: object) => {
    const common = { assistant_id: "support", if_not_exists: "create" };
    return agent.call("POST", `/threads/${thread(1)}/runs/wait`, { ...common, ...body });
  };
  const say = (content: string) => run({ input: { messages: [{ role: "user", content }] } });
  const found = await say("Where is order 7?");
  expect(found.body.messages.at(-1).content).toBe("You said: shipped");
  const interrupted = await say("A refund, please");
  expect(interrupted.body.__interrupt__).toMatchObject([{ value: { question: "Refund?", of: "A refund, please" } }]);
  const paid = await run({ command: { resume: true } });
  expect(paid.body.messages.at(-1).content).toBe("Paid back.");
});

test("the module of the docs exports graphs that run", async () => {
  const graphs = await readGraphs(await example("async function* greeter", "graphs.ts"), []);
  await using agent = await startAgent({ graphs });
  const { body: counted } = await agent.call("POST", "/runs/wait", { assistant_id: "counter", input: { n: 4 } });
  expect(counted).toEqual({ n: 5 });
  const { body: greeted } = await agent.call("POST", "/runs/wait", {
    assistant_id: "greeter",
    input: { messages: "hello" },
  });
  expect(greeted.messages.at(-1)).toMatchObject({ type: "ai", content: "Good day" });
});
