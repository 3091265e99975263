import { expect, test } from "vitest";
import { hasChanges } from "../../../core/reconcile/file/plan.ts";
import { agents, fileOf, resultsOf, startWorkspace } from "../../kit/files.ts";

const text = agents(`  support:
    assistants: { friendly: { graph_id: agent, context: { tone: friendly } } }
    crons: { nightly: { schedule: "0 3 * * *", assistant_id: friendly, input: { task: digest } } }
    store: [{ namespace: [settings], key: limits, value: { questions: 5 } }]`);

test("the agent server's content is applied once the deployment is live, and only what differs after that", async () => {
  await using workspace = await startWorkspace();
  const planned = await workspace.plan(fileOf(text));
  const made = [
    { kind: "assistant", name: "friendly", action: "create", fields: [] },
    { kind: "cron", name: "nightly", action: "create", fields: [] },
    { kind: "store item", name: "settings/limits", action: "create", fields: [] },
  ];
  expect(planned.deployments[0]?.content).toEqual(made);
  const [created] = await workspace.apply(fileOf(text));
  expect(created).toMatchObject({ result: "created", content: made });
  await workspace.clearRequests();
  expect(resultsOf(await workspace.apply(fileOf(text)))).toEqual(["support: unchanged"]);
  expect(await workspace.writes()).toEqual([]);
  const changed = fileOf(text.replace("tone: friendly", "tone: formal"));
  const plan = await workspace.plan(changed);
  expect(plan.deployments[0]).toMatchObject({
    action: "nothing",
    content: [{ kind: "assistant", name: "friendly", action: "update", fields: ["context"] }],
  });
  expect(resultsOf(await workspace.apply(changed))).toEqual(["support: updated"]);
});

test("a plan is refused if the key may not be sent to an existing agent server", async () => {
  await using workspace = await startWorkspace();
  await workspace.apply(fileOf(text));
  const { deployment } = await workspace.client.deployments.findByName("support");
  expect(deployment?.source_config.custom_url).toContain(workspace.mock.url);
  const connect = () => workspace.options.connect("https://elsewhere.example");
  const { deployments } = await workspace.plan(fileOf(text), { connect });
  expect(deployments[0]).toMatchObject({
    action: "refused",
    refusal: expect.stringContaining("GRAPHDEPLOY_AGENT_HOSTS"),
  });
});

test("a prune deletes what the file no longer declares on an agent server, also when that is all of it", async () => {
  await using workspace = await startWorkspace();
  await workspace.apply(fileOf(text));
  const bare = fileOf(agents("  support: {}"));
  expect(resultsOf(await workspace.apply(bare))).toEqual(["support: unchanged"]);
  const plan = await workspace.plan(bare, { prune: true });
  expect(plan.deployments[0]?.content.map(({ kind, name, action }) => `${action} ${kind} ${name}`)).toEqual([
    "delete cron nightly",
    "delete assistant friendly",
  ]);
  expect(resultsOf(await workspace.apply(bare, { prune: true }))).toEqual(["support: updated"]);
  expect((await workspace.plan(bare, { prune: true })).deployments[0]?.content).toEqual([]);
});

test("content is adopted with its deployment", async () => {
  await using workspace = await startWorkspace();
  await workspace.apply(fileOf(text));
  const owner = "acme/renamed#graphdeploy.yaml";
  expect(resultsOf(await workspace.apply(fileOf(text), { owner, adopt: true }))).toEqual(["support: updated"]);
  const plan = await workspace.plan(fileOf(text), { owner });
  expect(plan.deployments[0]).toMatchObject({ action: "nothing", content: [] });
});

test("content that couldn't be compared isn't taken for unchanged", async () => {
  await using workspace = await startWorkspace();
  await workspace.apply(fileOf(text));
  workspace.mock.faults.add({ match: { path: "/agents/*" }, effect: { status: 401 } });
  const plan = await workspace.plan(fileOf(text));
  expect(plan.deployments[0]?.notes.join()).toContain("The agent server can't be compared");
  expect(hasChanges(plan)).toBe(true);
  expect((await workspace.apply(fileOf(text)))[0]?.result).toBe("failed");
});
