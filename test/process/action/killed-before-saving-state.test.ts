import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { checkout } from "../../../scripts/run-command.ts";
import { agentInputs } from "../../kit/github/agents.ts";
import { actionFile } from "../../kit/github/run-action.ts";

test("the post step of a main step that was killed before it saved anything does nothing", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const inputs = Object.entries(agentInputs(mock)).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  const env = {
    PATH: process.env.PATH,
    GITHUB_EVENT_NAME: "push",
    GITHUB_REF: "refs/heads/main",
    GITHUB_REPOSITORY: "acme/agents",
    ...Object.fromEntries(inputs),
  };
  const child = spawn(process.execPath, [join(checkout, actionFile.runs.post)], { env, stdio: "ignore" });
  const [code] = await once(child, "close");
  expect(code).toBe(0);
  expect(mock.requests()).toEqual([]);
});
