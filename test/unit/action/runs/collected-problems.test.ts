import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { agentInputs } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";

test("problems of the declaration are reported together with a refused event", async () => {
  await using mock = await startMockServer({ port: 0 });
  const { code, log } = await runAction({
    event: { name: "push", ref: "refs/heads/main" },
    inputs: agentInputs(mock, { operation: "preview", env: "PORT=1", secrets: "GRAPHDEPLOY_PREVIEW_PR_1=x" }),
  });
  expect(code).toBe(1);
  expect(log).toContain("pull-request: A preview belongs to a pull request");
  expect(log).toContain("secrets: GRAPHDEPLOY_PREVIEW_PR_1 is part of the ownership marker");
});

test("an unknown source is reported together with the problems, with the known sources", async () => {
  await using mock = await startMockServer({ port: 0 });
  const { code, log } = await runAction({
    event: { name: "push", ref: "refs/heads/main" },
    inputs: agentInputs(mock, { source: "githbu", timeout: "soon" }),
  });
  expect(code).toBe(1);
  expect(log).toContain("timeout: ");
  expect(log).toContain(
    "source: is none of the known ones, github, external_docker, internal_docker, internal_source. It is passed on unchanged. Did you mean github?",
  );
});
