import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { Superseded } from "../../../core/client/errors.ts";
import { reconcile } from "../../../core/reconcile/reconcile.ts";
import { followRollout } from "../../../core/rollout/follow.ts";
import type { ProgressEvent } from "../../../core/rollout/waiting.ts";
import type { DeploymentArgs } from "../../../provider/deployment.ts";
import { declaration, deployment, laterRevisionId, revision } from "../../kit/deployments.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import { type Ground, platform, program, startGround, startLogs, summary, writes } from "../../kit/provider/ground.ts";
import { startScriptedServer } from "../../kit/scripted-server.ts";

const first = "1".repeat(40);
const second = "2".repeat(40);
const repository = "https://github.com/acme/agent";

/** A program of a deployment that the platform builds on push. */
const built = (changes: Partial<DeploymentArgs> = {}) => program({ sourceConfig: { buildOnPush: true }, ...changes });

function push({ mock }: Ground, commit: string) {
  return mock.push({ repoUrl: repository, ref: "main", commit });
}

async function live({ mock }: Ground) {
  const { deployments, revisions } = await platform(mock);
  return revisions.find(({ id }) => id === deployments[0]?.latestRevisionId)?.config.repo_commit_sha;
}

test("the platform's own build of a pushed commit is followed, and no second one is made", async () => {
  await using ground = await startGround({ mock: { transitions: "time:1s" } });
  await ground.engine.up(built());
  const [pushed] = await push(ground, first);
  expect(summary(await ground.engine.up(built({ pushedCommit: first })))).toEqual(["update"]);
  expect(ground.engine.resources.get("agent")?.outputs).toMatchObject({
    latestRevisionId: pushed?.id,
    activeRevisionId: pushed?.id,
    revisionStatus: "DEPLOYED",
    commit: first,
  });
  expect(writes(ground.mock)).toEqual(["POST 201"]);
  expect((await platform(ground.mock)).revisions).toHaveLength(2);
});

test("a push whose build ended before the run requires no change", async () => {
  await using ground = await startGround();
  await ground.engine.up(built());
  await push(ground, first);
  expect(summary(await ground.engine.up(built({ pushedCommit: first })))).toEqual(["update"]);
  expect(summary(await ground.engine.up(built({ pushedCommit: first })))).toEqual(["same"]);
  expect(writes(ground.mock)).toEqual(["POST 201"]);
});

test("a push that arrives during the wait for it is found", async () => {
  await using logs = await startLogs();
  await using ground = await startGround({ logs: logs.address });
  await ground.engine.up(built());
  const running = ground.engine.up(built({ pushedCommit: first }));
  await logs.logged("Waiting for the platform's own build of commit");
  await push(ground, first);
  expect(summary(await running)).toEqual(["update"]);
  expect(writes(ground.mock)).toEqual(["POST 201"]);
});

test("with a tag, or without build on push, a pushed commit is rolled out by the provider", async () => {
  await using ground = await startGround();
  const tagged = (changes: Partial<DeploymentArgs> = {}) =>
    program({ sourceRevisionConfig: { repoRef: "refs/tags/v1" }, ...changes });
  await ground.engine.up(tagged());
  await ground.mock.push({ repoUrl: repository, ref: "refs/tags/v1", commit: first, force: true });
  expect(summary(await ground.engine.up(tagged({ pushedCommit: first })))).toEqual(["update"]);
  expect(writes(ground.mock)).toEqual(["POST 201", "PATCH 200"]);
  expect(ground.mock.requests({ method: "PATCH" })[0]?.request.body).toEqual({
    source_revision_config: { repo_ref: "refs/tags/v1" },
  });
  expect(await live(ground)).toBe(first);
});

test("a newer push during the build supersedes it: the outcome says so and the id is kept", async () => {
  await using logs = await startLogs();
  await using ground = await startGround({ logs: logs.address });
  await ground.engine.up(built());
  const { id } = ground.engine.resources.get("agent") ?? {};
  ground.mock.transitions.set({ mode: "manual" });
  const [older] = await push(ground, first);
  const running = ground.engine.up(built({ pushedCommit: first }));
  await logs.logged(`following revision ${older?.id}`);
  const [newer] = await push(ground, second);
  const [said] = summary(await running);
  expect(said).toBe(
    `update: Revision ${older?.id} was superseded by ${newer?.id} before it was live. A newer deploy or push took its place: follow that revision, or deploy again.`,
  );
  expect(ground.engine.resources.get("agent")?.id).toBe(id);
  expect(writes(ground.mock)).toEqual(["POST 201"]);

  await ground.mock.revisions.advance(newer?.id ?? "", "DEPLOYED");
  expect(summary(await ground.engine.up(built({ pushedCommit: second })))).toEqual(["update"]);
  expect(writes(ground.mock)).toEqual(["POST 201"]);
  expect(await live(ground)).toBe(second);
});

test("a revision that goes live with another commit than the pushed one is warned about", async () => {
  await using logs = await startLogs();
  await using ground = await startGround({ logs: logs.address });
  await ground.engine.up(program());
  await push(ground, second);
  expect(summary(await ground.engine.up(program({ pushedCommit: first })))).toEqual(["update"]);
  expect(await logs.logged("The revision that is live")).toMatchObject({
    severity: "warning",
    message: `The revision that is live is of commit ${second}, not ${first}: the branch has moved.`,
  });
});

test("when the platform makes no revision of the pushed commit in 120 s, one is made", async () => {
  const clock = new FakeClock();
  const startedAt = clock.now();
  let patchedAt: number | undefined;
  const observed = deployment({ source_config: { ...deployment().source_config, build_on_push: true } });
  const made = { ...observed, latest_revision_id: laterRevisionId, active_revision_id: laterRevisionId };
  await using server = await startScriptedServer(({ method, path }) => {
    if (method === "PATCH") patchedAt = clock.now();
    if (method === "PATCH") return { body: made };
    if (path.endsWith("/revisions")) return { body: { resources: [revision()], offset: 1 } };
    if (path.includes("/revisions/")) return { body: revision({ id: path.split("/").at(-1) }) };
    return { body: patchedAt === undefined ? observed : made };
  });
  const client = new ControlPlane({ baseUrl: server.url, apiKey: "key-1", clock, random: () => 0.5 });
  const events: ProgressEvent[] = [];
  const onProgress = (event: ProgressEvent) => void events.push(event);
  const desired = declaration({ sourceConfig: { ...declaration().sourceConfig, buildOnPush: true } });
  const started = await reconcile(client, desired, { id: observed.id, pushedCommit: first, onProgress }).started;
  expect(started.revisionId).toBe(laterRevisionId);
  expect((patchedAt ?? 0) - startedAt).toBeGreaterThanOrEqual(120_000);
  expect((patchedAt ?? 0) - startedAt).toBeLessThan(121_000);
  const patches = server.requests.filter(({ method }) => method === "PATCH");
  expect(patches.map(({ body }) => body)).toEqual([{ source_revision_config: { repo_ref: "main" } }]);
  expect(events).toContainEqual({
    type: "note",
    message: `The platform made no revision of commit ${first}; making one.`,
  });
});

test("a skipped build of the pushed commit is an outcome of its own, not a failure of the build", async () => {
  const clock = new FakeClock();
  const observed = deployment({ latest_revision_id: laterRevisionId });
  await using server = await startScriptedServer(({ path }) =>
    path.includes("/revisions/") ? { body: revision({ status: "SKIPPED" }) } : { body: observed },
  );
  const client = new ControlPlane({ baseUrl: server.url, apiKey: "key-1", clock });
  const { id: deploymentId } = observed;
  const rollout = followRollout(client, { deploymentId, revisionId: revision().id });
  const error = await rollout.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Superseded);
  expect(error).toMatchObject({ supersededBy: laterRevisionId });
});
