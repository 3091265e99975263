import { expect, test } from "vitest";
import { startMockServer } from "../../mock-server/server.ts";
import { agentInputs } from "../support/github/agents.ts";
import { runAction } from "../support/github/run-action.ts";

test("secrets that are common words leave the outputs that steps decide by alone", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const { outputs, log } = await runAction({
    event: { name: "push", ref: "refs/heads/main" },
    inputs: agentInputs(mock, { secrets: "VERBOSE=true\nSTAGE=deployed" }),
  });
  expect(outputs, log).toMatchObject({ created: "true", result: "deployed" });
});
