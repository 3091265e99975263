import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startAgent } from "../../kit/agent-server/agent.ts";
import { run } from "../../kit/python/run.ts";
import { virtualEnvironment } from "../../kit/python/virtual-environment.ts";

const python = await virtualEnvironment("schemathesis==4.32.5");
const skip = python.missing === undefined ? "" : ` (skipped: ${python.missing})`;
const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
].join(",");

// A state with selected fields lacks the others, which no description by status can express.
const partsOfStates = `
[[operations]]
include-path-regex = "/threads/.*/state"
checks.response_schema_conformance.enabled = false
`;

/** Runs schemathesis against an agent server. `prepare` creates objects and returns their ids by path parameter. */
async function fuzz(prepare: (call: Awaited<ReturnType<typeof startAgent>>) => Promise<object>, ...args: string[]) {
  if (python.missing !== undefined) throw new Error(python.missing);
  await using agent = await startAgent();
  const folder = await mkdtemp(join(tmpdir(), "schemathesis-"));
  try {
    const lines = Object.entries(await prepare(agent)).map(([name, value]) => `"path.${name}" = "${value}"`);
    const config = join(folder, "schemathesis.toml");
    await writeFile(config, `[parameters]\n${lines.join("\n")}\n${partsOfStates}`);
    const common = ["--config-file", config, "run", `${agent.url}/openapi.json`, "--phases", "fuzzing", "-n", "2"];
    const fixed = ["--checks", checks, "--seed", "1", "--request-timeout", "5", "--warnings", "off", "--no-color"];
    const ended = await run(python.command("schemathesis"), [...common, ...fixed, ...args], { cwd: folder });
    return { ...ended, defects: agent.defects };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const clean = { code: 0, output: expect.stringContaining("No issues found"), defects: [] };

test.skipIf(skip)(`schemathesis finds no 5xx and no schema violation, whatever it sends${skip}`, async () => {
  expect(await fuzz(async () => ({}), "--mode", "all")).toMatchObject(clean);
});

test.skipIf(skip)(`schemathesis finds none with an existing thread, run and assistant${skip}`, async () => {
  const prepare = async (agent: Awaited<ReturnType<typeof startAgent>>) => {
    const { body: thread } = await agent.call("POST", "/threads", {});
    const { body: assistant } = await agent.call("POST", "/assistants", { graph_id: "chat" });
    const runs = `/threads/${thread.thread_id}/runs`;
    const { body: begun } = await agent.call("POST", runs, { assistant_id: "chat", input: {} });
    await agent.call("GET", `${runs}/${begun.run_id}/join`);
    return { thread_id: thread.thread_id, run_id: begun.run_id, assistant_id: assistant.assistant_id };
  };
  // A thread's own stream never ends, and a deletion would remove the objects under test.
  const streams = ["--exclude-path", "/threads/{thread_id}/stream", "--exclude-method", "DELETE"];
  expect(await fuzz(prepare, "--mode", "positive", ...streams)).toMatchObject(clean);
});
