import { expect, test } from "vitest";
import type { Deployment } from "../../../core/client/wire/deployments.ts";
import { applyFile } from "../../../core/reconcile/file/apply.ts";
import { planDestroy } from "../../../core/reconcile/file/destroy.ts";
import { hasChanges, planFile } from "../../../core/reconcile/file/plan.ts";
import { actionsOf, agents, fileOf, resultsOf, startWorkspace } from "../../kit/files.ts";

const two = agents(`  search: {}
  support: { depends_on: [search], env: { LOG_LEVEL: info }, secrets: { MODEL_API_KEY: sk-planted-0123 } }`);

test("a second apply sends no write, and a plan before it shows no change", async () => {
  await using workspace = await startWorkspace();
  const file = fileOf(two);
  expect(actionsOf(await workspace.plan(file))).toEqual(["search: create", "support: create"]);
  expect(resultsOf(await workspace.apply(file))).toEqual(["search: created", "support: created"]);
  await workspace.clearRequests();
  const plan = await workspace.plan(file);
  expect(actionsOf(plan)).toEqual(["search: nothing", "support: nothing"]);
  expect(hasChanges(plan)).toBe(false);
  expect(resultsOf(await workspace.apply(file))).toEqual(["search: unchanged", "support: unchanged"]);
  expect(await workspace.writes()).toEqual([]);
});

test("a deployment waits until those that it depends on are live", async () => {
  await using workspace = await startWorkspace();
  await workspace.apply(fileOf(two));
  const paths = (await workspace.requests()).map(({ method, path }) => `${method} ${path}`);
  const creations = paths.flatMap((path, index) => (path === "POST /v2/deployments" ? [index] : []));
  expect(creations).toHaveLength(2);
  const between = paths.slice(creations[0], creations[1]);
  expect(between.some((path) => /^GET \/v2\/deployments\/[^/]+\/revisions\//.test(path))).toBe(true);
});

test("only what differs is sent, by the names of the file", async () => {
  await using workspace = await startWorkspace();
  await workspace.apply(fileOf(two));
  await workspace.clearRequests();
  const changed = fileOf(two.replace("info", "debug"));
  const plan = await workspace.plan(changed);
  expect(actionsOf(plan)).toEqual(["search: nothing", "support: revision"]);
  expect(plan.deployments[1]?.changes.map(({ reason }) => reason)).toEqual([
    "changes LOG_LEVEL; rolls out a new revision",
  ]);
  expect(resultsOf(await workspace.apply(changed))).toEqual(["search: unchanged", "support: updated"]);
  expect(await workspace.writes()).toEqual([expect.stringMatching(/^PATCH \/v2\/deployments\//)]);
});

test("a failure ends its deployment and those that depend on it, not the others", async () => {
  await using workspace = await startWorkspace();
  workspace.mock.transitions.set({ rules: [{ name: "search", fail: "BUILD_FAILED" }] });
  const outcomes = await workspace.apply(fileOf(`${two}  billing: {}\n`));
  expect(outcomes.map(({ key, result }) => `${key}: ${result}`)).toEqual([
    "search: failed",
    "support: skipped",
    "billing: created",
  ]);
  expect(outcomes[1]?.error?.message).toBe("search isn't live, and support depends on it.");
});

test("a deployment without an owner or with another one is refused, and taken over with adopt", async () => {
  await using workspace = await startWorkspace();
  const owners = [undefined, "pulumi#urn:pulumi:dev::app::graphdeploy:index:Deployment::chat#g-0123456789ab"];
  for (const [index, owner] of owners.entries()) {
    const secrets = owner === undefined ? [] : [{ name: "GRAPHDEPLOY_MANAGED_BY", value: owner }];
    await workspace.createForeign(secrets, ["search", "support"][index]);
  }
  await workspace.clearRequests();
  const file = fileOf(two);
  const plan = await workspace.plan(file);
  expect(actionsOf(plan)).toEqual(["search: refused", "support: refused"]);
  expect(plan.deployments.map(({ refusal }) => refusal)).toEqual([
    expect.stringContaining("which carries no ownership marker"),
    expect.stringContaining("which is owned by pulumi#urn:pulumi:dev::app::graphdeploy:index:Deployment::chat"),
  ]);
  expect((await workspace.apply(file)).map(({ result }) => result)).toEqual(["failed", "skipped"]);
  expect(await workspace.writes()).toEqual([]);
  expect(resultsOf(await workspace.apply(file, { adopt: true }))).toEqual(["search: updated", "support: updated"]);
  expect(actionsOf(await workspace.plan(file))).toEqual(["search: nothing", "support: nothing"]);
});

test("a prune deletes what the file owns and no longer declares, and nothing else", async () => {
  await using workspace = await startWorkspace();
  const foreign = await workspace.createForeign();
  await workspace.apply(fileOf(two));
  const one = fileOf(agents("  search: {}"));
  const kept = await workspace.plan(one);
  expect(kept.undeclared.map(({ name }) => name)).toEqual(["support"]);
  expect(hasChanges(kept)).toBe(false);
  expect(resultsOf(await workspace.apply(one, { prune: true }))).toEqual(["search: unchanged", "support: deleted"]);
  const left = await workspace.client.deployments.list().all();
  expect(left.map(({ name }) => name).sort()).toEqual([foreign.name, "search"].sort());
});

test("a marker copied to another deployment doesn't make it owned", async () => {
  await using workspace = await startWorkspace();
  const file = fileOf(agents("  search: {}"));
  await workspace.apply(file);
  const { deployment } = await workspace.client.deployments.findByName("search");
  const copy = await workspace.createForeign(deployment?.secrets ?? []);
  expect((await workspace.plan(fileOf(agents("  other: {}")))).undeclared.map(({ name }) => name)).toEqual(["search"]);
  await workspace.apply(fileOf(agents("  other: {}")), { prune: true });
  expect(await workspace.client.deployments.find(copy.id)).toBeDefined();
});

test("each environment and preview of a file owns its own deployments", async () => {
  await using workspace = await startWorkspace();
  const text = agents(
    "  chat: {}",
    "environments: { staging: { deployments: { chat: { name: chat-staging } } } }\npreviews: { environment: staging }\n",
  );
  await workspace.apply(fileOf(text));
  const owner = `${workspace.options.owner}@staging`;
  await workspace.apply(fileOf(text, { environment: "staging" }), { owner });
  const preview = fileOf(text, { pullRequest: 12 });
  expect(preview.deployments.map(({ desired }) => desired.name)).toEqual(["chat-staging-pr-12"]);
  await workspace.apply(preview, { owner: `${workspace.options.owner}@pr-12` });
  for (const each of [workspace.options.owner, owner, `${workspace.options.owner}@pr-12`]) {
    const plan = await workspace.plan(fileOf(agents("  other: {}")), { owner: each, prune: true });
    expect(plan.undeclared).toHaveLength(1);
  }
});

test("a latest revision that failed is rolled out again, and one in progress is followed", async () => {
  await using workspace = await startWorkspace();
  const file = fileOf(agents("  search: {}"));
  workspace.mock.transitions.set({ rules: [{ name: "search", fail: "BUILD_FAILED" }] });
  await workspace.apply(file);
  const plan = await workspace.plan(file);
  expect(actionsOf(plan)).toEqual(["search: revision"]);
  expect(plan.deployments[0]?.changes.map(({ reason }) => reason)).toEqual([
    "the latest revision ended as BUILD_FAILED",
  ]);
  workspace.mock.transitions.set({ rules: [] });
  expect(resultsOf(await workspace.apply(file))).toEqual(["search: updated"]);
});

test("an abort starts nothing else and reports what is known", async () => {
  await using workspace = await startWorkspace();
  workspace.mock.transitions.set({ mode: "manual" });
  const abort = new AbortController();
  const outcomes = await workspace.apply(fileOf(two), {
    signal: abort.signal,
    onDeploymentProgress: (_, { type }) => type === "status" && abort.abort(),
  });
  expect(outcomes.map(({ key, result }) => `${key}: ${result}`)).toEqual(["search: interrupted", "support: skipped"]);
  expect(outcomes[0]).toMatchObject({ deploymentId: expect.any(String), revisionId: expect.any(String) });
});

test("a commit must be live on the deployments of its repository and ref", async () => {
  await using workspace = await startWorkspace();
  const file = fileOf(two);
  const commit = { repositoryUrl: "https://github.com/Acme/agents.git", ref: "main", sha: "a".repeat(40) };
  await workspace.apply(file);
  const planned = await workspace.plan(file, { commit });
  expect(actionsOf(planned)).toEqual(["search: revision", "support: revision"]);
  expect(actionsOf(await workspace.plan(file, { commit: { ...commit, ref: "dev" } }))).toEqual([
    "search: nothing",
    "support: nothing",
  ]);
});

test("a plan takes one listing, however many deployments there are", async () => {
  await using workspace = await startWorkspace();
  const keys = Array.from({ length: 60 }, (_, index) => `  agent-${index}: {}`).join("\n");
  const file = fileOf(agents(keys));
  await workspace.apply(file, { parallel: 20 });
  await workspace.clearRequests();
  await workspace.plan(file);
  expect((await workspace.requests()).map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /v2/deployments?limit=100&offset=0",
  ]);
});

test("where the platform hides values, the owner is known by the name of an entry", async () => {
  await using workspace = await startWorkspace();
  const { client, options } = workspace;
  await workspace.apply(fileOf(two));
  const { list } = client.deployments;
  const hidden = (found: Deployment) => ({
    ...found,
    secrets: (found.secrets ?? []).map(({ name }) => ({ name, value: "***" })),
  });
  client.deployments.list = (...given) => {
    const listing = list.apply(client.deployments, given);
    const all = listing.all.bind(listing);
    return Object.assign(listing, { all: async () => (await all()).map(hidden) });
  };
  const own = await workspace.plan(fileOf(two));
  expect(own.deployments.map(({ refusal }) => refusal)).toEqual([undefined, undefined]);
  const other = await workspace.plan(fileOf(two), { owner: `${options.owner}@prod` });
  expect(actionsOf(other)).toEqual(["search: refused", "support: refused"]);
  expect((await planDestroy(client, fileOf(two).deployments, options)).owned).toHaveLength(2);
});

test("owners that differ only in the case of an environment are two", async () => {
  await using workspace = await startWorkspace();
  await workspace.apply(fileOf(two), { owner: `${workspace.options.owner}@prod` });
  const plan = await workspace.plan(fileOf(two), { owner: `${workspace.options.owner}@Prod` });
  expect(actionsOf(plan)).toEqual(["search: refused", "support: refused"]);
});

test("what changed since the plan is seen: a deletion, and a deployment that nobody planned to take over", async () => {
  await using workspace = await startWorkspace();
  const { client, options } = workspace;
  const file = fileOf(agents("  search: {}"));
  await workspace.apply(file);
  const plan = await workspace.plan(file);
  const { deployment } = await client.deployments.findByName("search");
  await client.deployments.delete(deployment?.id ?? "");
  expect(resultsOf(await applyFile(client, file, plan, options))).toEqual(["search: created"]);

  const adopting = { ...options, adopt: true };
  const racy = fileOf(agents("  racy: {}"));
  const empty = await planFile(client, racy, adopting);
  await workspace.createForeign([], "racy");
  const [outcome] = await applyFile(client, racy, empty, adopting);
  expect(outcome?.error?.message).toContain("appeared after the plan, so it wasn't taken over. Plan again to see it.");
});

test("on a server that names no latest revision, the listing tells whether it is live", async () => {
  await using workspace = await startWorkspace();
  const { deployments } = workspace.client;
  const { create, get } = deployments;
  const older = ({ latest_revision_id: _, active_revision_id: __, ...rest }: Deployment): Deployment => rest;
  deployments.create = async (...given) => older(await create.apply(deployments, given));
  deployments.get = async (...given) => older(await get.apply(deployments, given));
  workspace.mock.transitions.set({ rules: [{ name: "search", fail: "BUILD_FAILED", times: 1 }] });
  const file = fileOf(two);
  expect((await workspace.apply(file)).map(({ result }) => result)).toEqual(["failed", "skipped"]);
});
