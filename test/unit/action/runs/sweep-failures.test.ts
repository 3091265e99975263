import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { agentInputs, deploymentsOf, makeDeployment, ownedBy } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";

test("a preview that can't be deleted keeps a sweep from none of the others", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const ids: string[] = [];
  for (const number of [1, 2, 3]) {
    const name = `support-agent-pr-${number}`;
    ids.push((await makeDeployment(mock, { name, ...ownedBy(`acme/agents#pr-${number}`) })).id);
    github.closedPullRequests.add(number);
  }
  mock.faults.replace([
    { match: { method: "DELETE", path: `/v2/deployments/${ids[1]}` }, effect: { status: 403, body: { detail: "no" } } },
  ]);
  const { code, outputs, log } = await runAction({
    event: { name: "schedule", ref: "refs/heads/main" },
    inputs: agentInputs(mock, { operation: "sweep" }),
    githubUrl: github.url,
  });
  expect([code, outputs.result], log).toEqual([1, "failed"]);
  expect(log).toContain("couldn't be deleted: support-agent-pr-2");
  const left: { name: string }[] = await deploymentsOf(mock);
  expect(left.map(({ name }) => name)).toEqual(["support-agent-pr-2"]);
});
