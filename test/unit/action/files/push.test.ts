import { expect, test } from "vitest";
import { type MockServer, startMockServer } from "../../../../mock-server/server.ts";
import { ask, deploymentsOf, makeDeployment, ownedBy, pushTo, writesOf } from "../../../kit/github/agents.ts";
import { agentsFile, push, runFile } from "../../../kit/github/file-steps.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";

const markersOf = async (mock: MockServer) =>
  (await deploymentsOf(mock)).map((deployment: { name: string; secrets: { name: string; value: string }[] }) => [
    deployment.name,
    deployment.secrets.find(({ name }) => name === "GRAPHDEPLOY_MANAGED_BY")?.value,
  ]);

test("a push applies the file in the order of its dependencies, under the owner that the file has everywhere", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const sha = await pushTo(mock);
  const { code, outputs, log, summary } = await runFile(mock, { event: push(sha) });
  expect([code, outputs.result, outputs.changes], log).toEqual([0, "deployed", "2"]);
  expect(await markersOf(mock)).toEqual(
    expect.arrayContaining([
      ["search", "acme/agents#graphdeploy.yaml:search"],
      ["support", "acme/agents#graphdeploy.yaml:support"],
    ]),
  );
  const all = await deploymentsOf(mock);
  const record = JSON.parse(outputs.deployments ?? "{}");
  for (const { id, name, latest_revision_id, source_config } of all) {
    expect(record[name]).toEqual({
      id,
      revision_id: latest_revision_id,
      url: source_config.custom_url,
      result: "created",
    });
  }
  expect(log.indexOf("search: created")).toBeLessThan(log.indexOf("support: Following"));
  expect(summary).toContain("**graphdeploy.yaml** ✅ is live");
  expect(summary).toMatch(/\| <code>search<\/code> \| ✅ created .*http:/);
});

test("a second run of the same commit writes nothing, and the next commit rolls out what is built from it", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const sha = await pushTo(mock);
  await runFile(mock, { event: push(sha) });
  const before = writesOf(mock).length;
  const again = await runFile(mock, { event: push(sha) });
  expect([again.outputs.result, again.outputs.changes], again.log).toEqual(["deployed", "0"]);
  expect(writesOf(mock)).toHaveLength(before);
  const next = await pushTo(mock);
  const later = await runFile(mock, { event: push(next) });
  expect([later.outputs.result, later.outputs.changes], later.log).toEqual(["deployed", "2"]);
  expect(later.log).toContain(`search:   commit ${next} must go live`);
  for (const { id, latest_revision_id } of await deploymentsOf(mock)) {
    const revision = await ask(mock, "GET", `/v2/deployments/${id}/revisions/${latest_revision_id}`);
    expect(revision.source_revision_config.repo_commit_sha).toBe(next);
  }
});

test("a push of another branch leaves the deployments of main as they are", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await runFile(mock, { event: push(await pushTo(mock)) });
  const sha = await pushTo(mock, "next");
  const { outputs, log } = await runFile(mock, { event: { ...push(sha), ref: "refs/heads/next" } });
  expect([outputs.result, outputs.changes], log).toEqual(["deployed", "0"]);
});

test("an environment has deployments and an owner of its own, and is the GitHub environment", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const { outputs, log } = await runFile(mock, {
    event: push(await pushTo(mock)),
    inputs: { environment: "staging", only: "search\n" },
    githubUrl: github.url,
  });
  expect([outputs.result, outputs.changes], log).toEqual(["deployed", "1"]);
  expect(await markersOf(mock)).toEqual([["search-staging", "acme/agents#graphdeploy.yaml@staging:search-staging"]]);
  expect(github.deployments.map(({ environment, states }) => [environment, states.map(({ state }) => state)])).toEqual([
    ["staging", ["in_progress", "success"]],
  ]);
});

test("a GitHub environment with {name} is one of each deployment that changes", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  mock.transitions.set({ rules: [{ name: "support", fail: "BUILD_FAILED", logLines: ["the cause"] }] });
  const { code, outputs, log } = await runFile(mock, {
    event: push(await pushTo(mock)),
    inputs: { "github-environment": "production/{name}" },
    githubUrl: github.url,
  });
  expect([code, outputs.result], log).toEqual([1, "failed"]);
  expect(github.deployments.map(({ environment, states }) => [environment, states.at(-1)?.state])).toEqual([
    ["production/search", "success"],
    ["production/support", "failure"],
  ]);
  expect(log).toContain("::error title=graphdeploy%3A failed::support: failed");
  expect(log).toContain("the cause");
  expect(JSON.parse(outputs.deployments ?? "{}")).toMatchObject({
    search: { result: "created" },
    support: { result: "failed", id: expect.any(String), revision_id: expect.any(String) },
  });
});

test("what somebody else owns is refused before anything is sent, and taken over with adopt", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, { name: "support", ...ownedBy("acme/agents#deploy") });
  const before = writesOf(mock).length;
  const sha = await pushTo(mock);
  const refused = await runFile(mock, { event: push(sha) });
  expect([refused.code, refused.outputs.result], refused.log).toEqual([1, "failed"]);
  expect(refused.log).toMatch(
    /Nothing was changed, because a part is refused: support: .*owned by acme\/agents#deploy/,
  );
  expect(writesOf(mock)).toHaveLength(before);
  const adopted = await runFile(mock, { event: push(sha), inputs: { adopt: "true" } });
  expect([adopted.code, adopted.outputs.result], adopted.log).toEqual([0, "deployed"]);
});

test("a deletion deletes what the file owns, dependents first, without values", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, { name: "other" });
  await runFile(mock, { event: push(await pushTo(mock)) });
  const event = { name: "workflow_dispatch", ref: "refs/heads/main", sha: "a".repeat(40) };
  const { code, outputs, log } = await runFile(mock, { event, inputs: { operation: "delete" } });
  expect([code, outputs.result, outputs.changes], log).toEqual([0, "deleted", "2"]);
  expect(log.indexOf("support: deleted")).toBeLessThan(log.indexOf("search: deleted"));
  expect((await deploymentsOf(mock)).map(({ name }: { name: string }) => name)).toEqual(["other"]);
  const again = await runFile(mock, { event, inputs: { operation: "delete" }, env: { TOKEN: "" } });
  expect([again.code, again.outputs.result], again.log).toEqual([0, "deleted"]);
  expect(again.log).toContain("owns no deployment here: nothing to delete.");
});

test("a cancelled run says of each deployment what is known", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const { code, outputs, log, summary } = await runFile(mock, {
    event: push(await pushTo(mock)),
    onOutput: (soFar, cancel) => {
      if (soFar.includes("search: CREATING")) cancel();
    },
  });
  expect([code, outputs.result], log).toEqual([1, "cancelled"]);
  const { search, support } = JSON.parse(outputs.deployments ?? "{}");
  expect([search.result, support.result]).toEqual(["interrupted", "skipped"]);
  expect(log).toContain(
    `search: It continues on the platform (deployment ${search.id}, revision ${search.revision_id}).`,
  );
  expect(log).toContain("Cancelled. On the platform continue: search.");
  expect(summary).toContain("⏹️ was cancelled");
});

test("on-cancel asks the platform to interrupt every rollout", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  const { outputs, log } = await runFile(mock, {
    event: push(await pushTo(mock)),
    inputs: { "on-cancel": "interrupt" },
    onOutput: (soFar, cancel) => {
      if (soFar.includes("search: CREATING")) cancel();
    },
  });
  expect(outputs.result, log).toBe("cancelled");
  expect(log).toMatch(/search: Requested that the platform interrupt revision/);
  expect(writesOf(mock).at(-1)).toMatch(/interrupt/);
});

test("the health of what changed is tested", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const step = { event: push(await pushTo(mock)), inputs: { "smoke-test": "ok" } };
  const { outputs, log } = await runFile(mock, step);
  expect(outputs.result, log).toBe("deployed");
  expect(log.match(/Smoke test: .*\/ok responds/g)).toHaveLength(2);
});

test("a file in a folder is named from the root of its checkout", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const files = { "checkout/.git/HEAD": "ref", "checkout/agents/graphdeploy.yaml": agentsFile };
  const inputs = { config: "checkout/agents/graphdeploy.yaml", only: "search" };
  const { outputs, log } = await runFile(mock, { event: push(await pushTo(mock)), inputs, files });
  expect(outputs.result, log).toBe("deployed");
  expect((await markersOf(mock))[0]?.[1]).toBe("acme/agents#agents/graphdeploy.yaml:search");
});
