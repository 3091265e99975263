import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { checkout } from "../../../scripts/run-command.ts";
import { actionFile } from "../../kit/github/step.ts";

test.each([
  ["an event that isn't JSON", { GITHUB_EVENT_PATH: join(checkout, "action.yml") }],
  ["an address of GitHub that is none", { GITHUB_API_URL: "nowhere" }],
])("a post step with %s warns and passes", async (_, broken) => {
  const env = { PATH: process.env.PATH, GITHUB_REPOSITORY: "acme/agents", STATE_phase: "running", ...broken };
  const child = spawn(process.execPath, [join(checkout, actionFile.runs.post)], { env });
  const [log, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  expect(log).toContain("::warning::");
  expect(code).toBe(0);
});
