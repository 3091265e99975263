import { expect, test } from "vitest";
import { check } from "../../../provider/check.ts";
import type { DeploymentInputs } from "../../../provider/state.ts";

// A replacement is a new deployment, so a field that only the old one had isn't removed.
process.env.GRAPHDEPLOY_API_KEY ??= "key-of-a-regression-test";

const olds: DeploymentInputs = {
  name: "agent",
  source: "github",
  displayName: "Agent",
  sourceConfig: { repoUrl: "https://github.com/acme/agent", buildOnPush: false },
  sourceRevisionConfig: { repoRef: "main", graphConfigPath: "graph.json" },
  secrets: { MODEL_KEY: "sk-value" },
};

function news(changes: Partial<DeploymentInputs>): DeploymentInputs {
  const { displayName: _displayName, secrets: _secrets, ...kept } = olds;
  return { ...kept, ...changes };
}

test("fields that a replacement drops are not refused", () => {
  const moved = news({ sourceConfig: { repoUrl: "https://github.com/acme/other" } });
  expect(check(olds, moved, undefined).failures).toEqual([]);
  expect(check(olds, news({ name: "other" }), undefined).failures).toEqual([]);
});

test("fields that an update drops are refused by their paths", () => {
  expect(check(olds, news({}), undefined).failures.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/^displayName /),
  ]);
});
