import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { agentInputs } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";

const push = { name: "push", ref: "refs/heads/main", sha: "a".repeat(40) };

test("no line of a multi-line secret is shown, wherever it is truncated", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "time:2s" });
  const lines = ["-----BEGIN TEST KEY-----", "first-line-of-the-key", "second-line-of-the-key"];
  const logLines = [...lines, JSON.stringify({ key: lines.join("\n") }), `key: ${lines[1]} ${lines[2]}`];
  mock.transitions.set({ rules: [{ name: "*", fail: "BUILD_FAILED", logLines }] });
  const inputs = agentInputs(mock, { secrets: JSON.stringify({ KEY: lines.join("\n") }) });
  const { outputs, log, everything } = await runAction({ event: push, inputs });
  expect(outputs.result, log).toBe("failed");
  expect(log).toContain("::group::Build log");
  for (const line of lines.slice(1)) expect(everything).not.toContain(line);
});
