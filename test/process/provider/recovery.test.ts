import { expect, test, vi } from "vitest";
import {
  elsewhere,
  type Ground,
  platform,
  program,
  startGround,
  startLogs,
  summary,
  writes,
} from "../../kit/provider/ground.ts";
import type { Step } from "../../kit/pulumi/engine.ts";

// The run after a failed one. In the end, the platform has the declared deployment exactly once.

const stored = (ground: Ground) => ground.engine.resources.get("agent");
const nextRef = program({ sourceRevisionConfig: { repoRef: "next" } });

/** The newest revision. */
async function latest(ground: Ground): Promise<string> {
  return (await platform(ground.mock)).deployments[0]?.latestRevisionId ?? "";
}

/** Waits until the provider has polled a revision's status and so is in the middle of a wait. */
async function inTheWait(ground: Ground): Promise<void> {
  const polls = () => ground.mock.requests({ method: "GET", path: "/v2/deployments/*/revisions/*" }).length;
  await vi.waitFor(() => expect(polls()).toBeGreaterThan(0), { timeout: 30_000, interval: 20 });
}

/** Starts an operation and calls `act` in the middle of its wait. */
async function whileWaiting(ground: Ground, run: Promise<Step[]>, act: () => Promise<unknown>): Promise<Step[]> {
  await inTheWait(ground);
  await act();
  return run;
}

test("a failed build is reported with its revision and log, and the next up repairs the same deployment", async () => {
  await using ground = await startGround();
  const rule = {
    name: "agent",
    fail: "BUILD_FAILED" as const,
    logLines: ["no matching distribution for agent"],
    times: 1,
  };
  ground.mock.transitions.set({ rules: [rule] });
  const [failed] = await ground.engine.up(program());
  const failedRevision = await latest(ground);
  expect(failed?.error).toContain(`Revision ${failedRevision} ended as BUILD_FAILED.`);
  expect(failed?.error).toContain("no matching distribution for agent");
  const id = stored(ground)?.id;
  expect(stored(ground)).toMatchObject({ outputs: { revisionStatus: "BUILD_FAILED" } });

  expect(summary(await ground.engine.up(program()))).toEqual(["update"]);
  const { deployments, revisions } = await platform(ground.mock);
  expect(deployments.map((deployment) => deployment.id)).toEqual([id]);
  expect(revisions).toHaveLength(2);
  expect(stored(ground)).toMatchObject({ id, outputs: { revisionStatus: "DEPLOYED" }, initErrors: [] });
  expect(summary(await ground.engine.up(program()))).toEqual(["same"]);
});

test("the preview of an update without a changed input says why there is one", async () => {
  await using logs = await startLogs();
  await using ground = await startGround({ logs: logs.address });
  ground.mock.transitions.set({ rules: [{ name: "agent", fail: "BUILD_FAILED", times: 1 }] });
  await ground.engine.up(program());
  expect(summary(await ground.engine.preview(program()))).toEqual(["update"]);
  expect(await logs.logged("agent is updated because its last rollout ended as BUILD_FAILED.")).toMatchObject({
    severity: "info",
    ephemeral: false,
  });
});

test("a refresh after a failed build still shows the failure, and the next up repairs it", async () => {
  await using ground = await startGround();
  ground.mock.transitions.set({ rules: [{ name: "agent", fail: "BUILD_FAILED", times: 1 }] });
  await ground.engine.up(program());
  expect(summary(await ground.engine.refresh())).toEqual(["read"]);
  expect(stored(ground)).toMatchObject({ initErrors: [], outputs: { revisionStatus: "BUILD_FAILED" } });
  expect(summary(await ground.engine.up(program()))).toEqual(["update"]);
  expect((await platform(ground.mock)).revisions).toHaveLength(2);
});

test("a failed update is recovered by undoing it as well as by retrying it", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  ground.mock.transitions.set({ rules: [{ name: "agent", fail: "DEPLOY_FAILED", times: 1 }] });
  const [failed] = await ground.engine.up(nextRef);
  expect(failed?.error).toContain("DEPLOY_FAILED");
  expect(summary(await ground.engine.up(program()))).toEqual(["update"]);
  const { deployments, revisions } = await platform(ground.mock);
  expect(deployments[0]?.revisionConfig.repo_ref).toBe("main");
  expect(revisions).toHaveLength(3);
});

test("a wait that ran out of time is resumed without a second revision, with a refresh between or without", async () => {
  await using ground = await startGround({ mock: { transitions: "manual" } });
  const impatient = program({ timeouts: { create: "1s", update: "1s" } });
  const [first] = await ground.engine.up(impatient);
  expect(first?.error).toContain("is still CREATING after 1s");
  await ground.engine.refresh();
  const [second] = await ground.engine.up(impatient);
  expect(second?.operation).toBe("update");
  expect(second?.error).toContain("is still CREATING after 1s");
  await ground.mock.revisions.advance(await latest(ground), "DEPLOYED");
  expect(summary(await ground.engine.up(impatient))).toEqual(["update"]);
  expect(writes(ground.mock)).toEqual(["POST 201"]);
  expect(stored(ground)).toMatchObject({ outputs: { revisionStatus: "DEPLOYED" }, initErrors: [] });
});

test("a cancelled creation returns at once with its id, and the next up resumes it", async () => {
  await using ground = await startGround({ mock: { transitions: "manual" } });
  const steps = await whileWaiting(ground, ground.engine.up(program()), () => ground.provider.process.cancel());
  expect(summary(steps)).toEqual([
    expect.stringContaining("Cancelled. A rollout in progress continues; the next `pulumi up` follows it"),
  ]);
  expect(stored(ground)?.id).toBe((await platform(ground.mock)).deployments[0]?.id);
  await ground.mock.revisions.advance(await latest(ground), "DEPLOYED");
  expect(summary(await ground.engine.up(program()))).toEqual(["update"]);
  expect(writes(ground.mock)).toEqual(["POST 201"]);
});

test("a cancelled update keeps its revision, and the next up resumes it in another process", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  ground.mock.transitions.set({ mode: "manual" });
  await fetch(`${ground.mock.url}/_mock/requests`, { method: "DELETE" });
  const steps = await whileWaiting(ground, ground.engine.up(nextRef), () => ground.provider.process.cancel());
  expect(summary(steps)).toEqual([expect.stringContaining("Cancelled. A rollout in progress continues;")]);
  await ground.provider.restart();
  await ground.mock.revisions.advance(await latest(ground), "DEPLOYED");
  expect(summary(await ground.engine.up(nextRef))).toEqual(["update"]);
  expect((await platform(ground.mock)).revisions).toHaveLength(2);
  expect(writes(ground.mock)).toEqual(["PATCH 200"]);
});

test("a cancelled deletion continues, and the next destroy waits for its end", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  ground.mock.transitions.set({ mode: "manual" });
  const id = stored(ground)?.id ?? "";
  const destroying = ground.engine.destroy();
  await vi.waitFor(() => expect(ground.mock.requests({ method: "DELETE" })).toHaveLength(1), { timeout: 30_000 });
  await ground.provider.process.cancel();
  expect(summary(await destroying)).toEqual([
    expect.stringMatching(/Cancelled\. A deletion in progress continues; the next run waits for its end\.$/),
  ]);
  expect(stored(ground)?.id).toBe(id);
  await ground.mock.deployments.advance(id);
  await ground.mock.deployments.advance(id);
  expect(summary(await ground.engine.destroy())).toEqual(["delete"]);
  expect((await platform(ground.mock)).deployments).toEqual([]);
});

test("a cancelled refresh reports that it changed nothing", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  const path = `/v2/deployments/${stored(ground)?.id}`;
  ground.mock.faults.add({ match: { method: "GET", path }, effect: { latency: "60s" } });
  const refreshing = ground.engine.refresh();
  await vi.waitFor(() => expect(ground.mock.faults.list()).toMatchObject([{ happened: 1 }]), { timeout: 30_000 });
  await ground.provider.process.cancel();
  expect(summary(await refreshing)).toEqual([expect.stringMatching(/Cancelled\. Reading changes nothing\.$/)]);
  ground.mock.faults.clear();
  expect(summary(await ground.engine.up(program()))).toEqual(["same"]);
});

test("a deployment deleted by hand is a clear error, and a refresh followed by an up creates it again", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  const id = stored(ground)?.id;
  await elsewhere(ground.mock, "DELETE", `/v2/deployments/${id}`);
  expect(summary(await ground.engine.up(nextRef))).toEqual([
    expect.stringContaining(`Deployment agent (${id}) was deleted outside of Pulumi. Run \`pulumi refresh\``),
  ]);
  expect(summary(await ground.engine.refresh())).toEqual(["delete"]);
  expect(summary(await ground.engine.up(nextRef))).toEqual(["create"]);
  expect((await platform(ground.mock)).deployments.map((deployment) => deployment.id)).toEqual([stored(ground)?.id]);
});

test("a deployment deleted by hand is destroyed without complaint", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  await elsewhere(ground.mock, "DELETE", `/v2/deployments/${stored(ground)?.id}`);
  expect(summary(await ground.engine.destroy())).toEqual(["delete"]);
});

test("a deployment deleted while its revision rolls out is a clear error that keeps the id", async () => {
  await using ground = await startGround({ mock: { transitions: "manual" } });
  const steps = await whileWaiting(ground, ground.engine.up(program()), async () => {
    const id = (await platform(ground.mock)).deployments[0]?.id ?? "";
    await elsewhere(ground.mock, "DELETE", `/v2/deployments/${id}`);
    await ground.mock.deployments.advance(id);
    await ground.mock.deployments.advance(id);
  });
  expect(summary(steps)).toEqual([expect.stringMatching(/was deleted while its revision .* rolled out/)]);
  expect(stored(ground)?.id).toBeDefined();
  await ground.engine.refresh();
  ground.mock.transitions.set({ mode: "immediate" });
  expect(summary(await ground.engine.up(program()))).toEqual(["create"]);
});

test("a refresh shows that a deployment is in deletion, and the next up reports it instead of calling it unchanged", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  ground.mock.transitions.set({ mode: "manual" });
  const id = stored(ground)?.id ?? "";
  await elsewhere(ground.mock, "DELETE", `/v2/deployments/${id}`);
  await ground.engine.refresh();
  expect(stored(ground)?.outputs.status).toBe("AWAITING_DELETE");
  expect(summary(await ground.engine.up(program()))).toEqual([
    expect.stringContaining(`Deployment agent (${id}) is being deleted (AWAITING_DELETE).`),
  ]);
});

test("a superseded revision is an error, and the next up follows the latest one", async () => {
  await using ground = await startGround({ mock: { transitions: "manual" } });
  const steps = await whileWaiting(ground, ground.engine.up(program()), async () => {
    const { deployments } = await platform(ground.mock);
    const body = { source_revision_config: { repo_ref: "main" } };
    await elsewhere(ground.mock, "PATCH", `/v2/deployments/${deployments[0]?.id}`, body);
  });
  const theirs = await latest(ground);
  expect(summary(steps)).toEqual([expect.stringContaining(`was superseded by ${theirs} before it was live`)]);
  await ground.mock.revisions.advance(theirs, "DEPLOYED");
  expect(summary(await ground.engine.up(program()))).toEqual(["update"]);
  expect(stored(ground)?.outputs).toMatchObject({ latestRevisionId: theirs, revisionStatus: "DEPLOYED" });
  expect((await platform(ground.mock)).revisions).toHaveLength(2);
});

test("a deployment redeployed elsewhere stays unchanged, even after a refresh", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  const body = { source_revision_config: { repo_ref: "main" } };
  await elsewhere(ground.mock, "PATCH", `/v2/deployments/${stored(ground)?.id}`, body);
  expect(summary(await ground.engine.up(program()))).toEqual(["same"]);
  await ground.engine.refresh();
  expect(stored(ground)?.outputs.latestRevisionId).toBe(await latest(ground));
  expect(summary(await ground.engine.up(program()))).toEqual(["same"]);
  expect((await platform(ground.mock)).revisions).toHaveLength(2);
});

test("another ref deployed elsewhere is found by a refresh and reverted by the next up", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  const body = { source_revision_config: { repo_ref: "theirs" } };
  await elsewhere(ground.mock, "PATCH", `/v2/deployments/${stored(ground)?.id}`, body);
  await ground.engine.refresh();
  expect(summary(await ground.engine.up(program()))).toEqual(["update"]);
  const { deployments, revisions } = await platform(ground.mock);
  expect(deployments[0]?.revisionConfig.repo_ref).toBe("main");
  expect(revisions).toHaveLength(3);
});

test("an interrupted revision that a refresh finds is rolled out again by the next up", async () => {
  await using ground = await startGround({ mock: { transitions: "manual" } });
  await ground.engine.up(program({ wait: false }));
  const id = stored(ground)?.id;
  await elsewhere(ground.mock, "POST", `/v2/deployments/${id}/revisions/${await latest(ground)}/interrupt`);
  await ground.engine.refresh();
  ground.mock.transitions.set({ mode: "immediate" });
  expect(summary(await ground.engine.up(program()))).toEqual(["update"]);
  expect(stored(ground)?.outputs).toMatchObject({ revisionStatus: "DEPLOYED" });
  expect((await platform(ground.mock)).revisions).toHaveLength(2);
});

test("a name in use elsewhere is an error that changes nothing", async () => {
  await using ground = await startGround();
  await elsewhere(ground.mock, "POST", "/v2/deployments", {
    name: "agent",
    source: "github",
    source_config: { repo_url: "https://github.com/acme/agent" },
    source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
    secrets: [{ name: "THEIRS", value: "sk-theirs" }],
  });
  const before = await platform(ground.mock);
  const [step] = await ground.engine.up(program());
  expect(step?.error).toContain('"agent" is in use by deployment');
  expect(ground.engine.resources.size).toBe(0);
  expect(await ground.engine.destroy()).toEqual([]);
  expect(await platform(ground.mock)).toEqual(before);
});
