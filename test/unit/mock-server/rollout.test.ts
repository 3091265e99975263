import { expect, test } from "vitest";
import { dockerBody, githubBody, startForTest } from "../../kit/mock-server/api.ts";

const built = ["CREATING", "QUEUED", "AWAITING_BUILD", "BUILDING", "AWAITING_DEPLOY", "DEPLOYING", "DEPLOYED"];
const pulled = ["CREATING", "QUEUED", "AWAITING_DEPLOY", "DEPLOYING", "DEPLOYED"];

type Mock = Awaited<ReturnType<typeof startForTest>>;

async function make(mock: Mock, body: object = githubBody()) {
  const made = (await mock.cloud("POST", "/v2/deployments", body)).body;
  const path = `/v2/deployments/${made.id}`;
  const deployment = async () => (await mock.cloud("GET", path)).body;
  const revision = async (id: string = made.latest_revision_id) =>
    (await mock.cloud("GET", `${path}/revisions/${id}`)).body;
  const again = async () =>
    (await mock.cloud("PATCH", path, { source_revision_config: { repo_ref: "main" } })).body
      .latest_revision_id as string;
  return { path, id: made.id as string, first: made.latest_revision_id as string, deployment, revision, again };
}

test.each([
  ["a repository", githubBody(), built, "cloud"],
  ["an image", dockerBody(), pulled, "selfHosted"],
] as const)("a rollout from %s goes through its statuses as time passes", async (_, body, statuses, edition) => {
  await using mock = await startForTest({ transitions: "time:100s" });
  const { body: made } = await mock[edition]("POST", "/v2/deployments", body);
  const seen: string[] = [];
  for (let second = 0; second <= 100; second++) {
    const { body: revision } = await mock[edition](
      "GET",
      `/v2/deployments/${made.id}/revisions/${made.latest_revision_id}`,
    );
    if (seen.at(-1) !== revision.status) seen.push(revision.status);
    mock.clock.advance("1s");
  }
  expect(seen).toEqual(statuses);
});

test("a frozen clock yields exact times", async () => {
  await using mock = await startForTest({ transitions: "time:100s" });
  const { revision, deployment, first } = await make(mock);
  mock.clock.advance("99999ms");
  expect(await revision()).toMatchObject({ status: "DEPLOYING", updated_at: "2026-01-01T00:01:15.000Z" });
  expect(await deployment()).toMatchObject({ status: "AWAITING_DATABASE", active_revision_id: null });
  mock.clock.advance("1ms");
  expect(await revision()).toMatchObject({ status: "DEPLOYED", updated_at: "2026-01-01T00:01:40.000Z" });
  expect(await deployment()).toMatchObject({ status: "READY", active_revision_id: first });
});

test("a manual rollout is advanced step by step or to a status", async () => {
  await using mock = await startForTest({ transitions: "manual" });
  const { first, revision } = await make(mock);
  mock.clock.advance("1h");
  expect((await revision()).status).toBe("CREATING");
  expect((await mock.revisions.advance(first)).status).toBe("QUEUED");
  const response = await fetch(`${mock.url}/_mock/revisions/${first}/advance`, {
    method: "POST",
    body: '{"to":"DEPLOYING"}',
  });
  expect(await response.json()).toMatchObject({ id: first, status: "DEPLOYING" });
  expect((await mock.revisions.advance(first)).status).toBe("DEPLOYED");
  await expect(mock.revisions.advance(first)).rejects.toThrow("has finished");
  expect((await mock.revisions.advance(first, "SOMETHING_NEW")).status).toBe("SOMETHING_NEW");
});

test("a timed revision can be advanced and then continues", async () => {
  await using mock = await startForTest({ transitions: "time:100s" });
  const { first, revision } = await make(mock);
  await mock.revisions.advance(first, "DEPLOYING");
  mock.clock.advance("25s");
  expect((await revision()).status).toBe("DEPLOYED");
});

test("a newer revision changes an unfinished one to SKIPPED, but not a finished one", async () => {
  await using mock = await startForTest({ transitions: "time:100s" });
  const { again, revision, deployment, first } = await make(mock);
  mock.clock.advance("50s");
  const second = await again();
  expect((await revision(first)).status).toBe("SKIPPED");
  mock.clock.advance("60s");
  expect(await deployment()).toMatchObject({ status: "AWAITING_DATABASE", active_revision_id: null });
  mock.clock.advance("40s");
  expect(await deployment()).toMatchObject({ status: "READY", active_revision_id: second });
  const third = await again();
  expect((await revision(second)).status).toBe("DEPLOYED");
  expect(await deployment()).toMatchObject({ latest_revision_id: third, active_revision_id: second });
});

test("an interrupt stops a rollout for good, and a finished one can't be interrupted", async () => {
  await using mock = await startForTest({ transitions: "time:100s" });
  const { path, first, revision, again } = await make(mock);
  const interrupt = (id: string) => mock.cloud("POST", `${path}/revisions/${id}/interrupt`);
  expect((await interrupt(first)).body.status).toBe("INTERRUPTED");
  mock.clock.advance("1h");
  expect((await revision()).status).toBe("INTERRUPTED");
  expect((await interrupt(first)).status).toBe(400);
  await again();
  expect((await revision(first)).status).toBe("INTERRUPTED");
});

test("a redeploy creates a revision with the config and commit of the named one", async () => {
  await using mock = await startForTest();
  const { path, first, revision, again } = await make(mock);
  const before = await revision(first);
  await mock.push({ repoUrl: "https://github.com/acme/agents", ref: "main", commit: "c".repeat(40) });
  expect((await revision(await again())).source_revision_config.repo_commit_sha).toBe("c".repeat(40));
  const { status, body } = await mock.cloud("POST", `${path}/revisions/${first}/redeploy`);
  expect(status).toBe(200);
  expect(body.latest_revision_id).not.toBe(first);
  expect(body.source_revision_config).toEqual(before.source_revision_config);
});

test("posting to the revisions creates one and responds 201, with or without changes", async () => {
  await using mock = await startForTest();
  const { path, deployment } = await make(mock);
  const plain = await mock.cloud("POST", `${path}/revisions`);
  expect(plain).toMatchObject({ status: 201, body: { status: "DEPLOYED" } });
  const changed = await mock.cloud("POST", `${path}/revisions`, { source_revision_config: { repo_ref: "next" } });
  expect(changed.body.source_revision_config.repo_ref).toBe("next");
  expect(await deployment()).toMatchObject({
    latest_revision_id: changed.body.id,
    source_revision_config: { repo_ref: "next" },
  });
});

test("revisions are listed latest first and filtered by several statuses", async () => {
  await using mock = await startForTest({ transitions: "manual" });
  const { path, first, again } = await make(mock);
  const second = await again();
  const third = await again();
  await mock.revisions.advance(third, "DEPLOYED");
  const list = async (query: string) => (await mock.cloud("GET", `${path}/revisions${query}`)).body;
  const ids = (body: { resources: { id: string }[] }) => body.resources.map(({ id }) => id);
  expect(ids(await list(""))).toEqual([third, second, first]);
  expect(ids(await list("?status=SKIPPED"))).toEqual([second, first]);
  expect(ids(await list("?status=DEPLOYED,%20SKIPPED&limit=2"))).toEqual([third, second]);
  expect(await list("?limit=1&offset=1")).toMatchObject({ resources: [{ id: second }], offset: 2 });
  expect(ids(await list("?remote_reconciled=true"))).toEqual([]);
});

test.each([
  ["CREATE_FAILED", "build_logs"],
  ["BUILD_FAILED", "build_logs"],
  ["DEPLOY_FAILED", "deploy_logs"],
] as const)("a rule makes matching deployments end in %s, with the rule's lines in the log", async (fail, log) => {
  await using mock = await startForTest({ transitions: "time:100s" });
  mock.transitions.set({ rules: [{ name: "bad-*", fail, logLines: ["out of memory"] }] });
  const bad = await make(mock, githubBody({ name: "bad-agent" }));
  const good = await make(mock);
  mock.clock.advance("100s");
  expect((await bad.revision()).status).toBe(fail);
  expect(await bad.deployment()).toMatchObject({ status: "AWAITING_DATABASE", active_revision_id: null });
  expect((await good.revision()).status).toBe("DEPLOYED");
  const { body } = await mock.cloud("POST", `/v1/projects/${bad.id}/revisions/${bad.first}/${log}`, { level: "error" });
  expect(body.logs).toMatchObject([{ message: "out of memory", level: "ERROR" }]);
});

test("a failed revision leaves the previous one serving", async () => {
  await using mock = await startForTest();
  const { again, first, deployment } = await make(mock);
  mock.transitions.set({ rules: [{ name: "*", fail: "BUILD_FAILED", times: 1 }] });
  const second = await again();
  expect(await deployment()).toMatchObject({ latest_revision_id: second, active_revision_id: first, status: "READY" });
  const third = await again();
  expect(await deployment()).toMatchObject({ active_revision_id: third });
});

test("a rule makes a revision stick until it is advanced", async () => {
  await using mock = await startForTest({ transitions: "time:10s" });
  mock.transitions.set({ rules: [{ name: "*", stick: "BUILDING" }] });
  const { revision, first } = await make(mock);
  mock.clock.advance("10h");
  expect((await revision()).status).toBe("BUILDING");
  await mock.revisions.advance(first);
  mock.clock.advance("10s");
  expect((await revision()).status).toBe("DEPLOYED");
});

test("a rule makes a revision stick at, or pass through, an unknown status", async () => {
  await using mock = await startForTest({ transitions: "time:10s" });
  mock.transitions.set({
    rules: [
      { name: "stuck", stick: "MIGRATING" },
      { name: "passing", passThrough: "WARMING_UP", durations: { WARMING_UP: "1m" } },
    ],
  });
  const stuck = await make(mock, githubBody({ name: "stuck" }));
  const passing = await make(mock, githubBody({ name: "passing" }));
  mock.clock.advance("10s");
  expect((await stuck.revision()).status).toBe("MIGRATING");
  expect((await passing.revision()).status).toBe("WARMING_UP");
  mock.clock.advance("1m");
  expect((await stuck.revision()).status).toBe("MIGRATING");
  expect((await passing.revision()).status).toBe("DEPLOYED");
});

test("a rule sets the durations of phases and the mode", async () => {
  await using mock = await startForTest({ transitions: "manual" });
  mock.transitions.set({ rules: [{ name: "*", mode: "time:10s", durations: { BUILDING: "30m" } }] });
  const { revision } = await make(mock);
  mock.clock.advance("30m");
  expect((await revision()).status).toBe("BUILDING");
  mock.clock.advance("10s");
  expect((await revision()).status).toBe("DEPLOYED");
});

test("the switch of the traffic can be delayed, or never come", async () => {
  await using mock = await startForTest();
  const { again, deployment, first } = await make(mock);
  mock.transitions.set({
    rules: [
      { name: "*", activeDelay: "1m", times: 1 },
      { name: "*", activeDelay: "never" },
    ],
  });
  const second = await again();
  expect(await deployment()).toMatchObject({ active_revision_id: first });
  mock.clock.advance("1m");
  expect(await deployment()).toMatchObject({ active_revision_id: second });
  await again();
  mock.clock.advance("10h");
  expect(await deployment()).toMatchObject({ active_revision_id: second });
});

test("a push moves the branch and builds the deployments that build on pushes to it", async () => {
  await using mock = await startForTest();
  const source = { repo_url: "https://github.com/Acme/agents.git" };
  const onPush = { ...source, build_on_push: true };
  const main = await make(mock, githubBody({ name: "main", source_config: onPush }));
  const next = await make(
    mock,
    githubBody({
      name: "next",
      source_config: onPush,
      source_revision_config: { repo_ref: "next", graph_config_path: "g.json" },
    }),
  );
  const still = await make(mock, githubBody({ name: "still", source_config: source }));
  const commit = "d".repeat(40);
  const response = await fetch(`${mock.url}/_mock/push`, {
    method: "POST",
    body: JSON.stringify({ repo_url: "https://GitHub.com/Acme/agents", ref: "refs/heads/main", commit }),
  });
  const { revisions } = (await response.json()) as { revisions: { id: string }[] };
  expect(revisions).toHaveLength(1);
  expect(await main.deployment()).toMatchObject({
    latest_revision_id: revisions[0]?.id,
    source_revision_config: { repo_commit_sha: commit },
  });
  expect((await next.deployment()).latest_revision_id).toBe(next.first);
  expect((await still.deployment()).latest_revision_id).toBe(still.first);
  expect((await still.revision(await still.again())).source_revision_config.repo_commit_sha).toBe(commit);
});

test("a tag doesn't move, unless it is forced", async () => {
  await using mock = await startForTest();
  const event = { repoUrl: "https://github.com/acme/agents", ref: "refs/tags/v1", commit: "e".repeat(40) };
  await expect(mock.push(event)).rejects.toThrow("tag");
  expect(await mock.push({ ...event, force: true })).toEqual([]);
});

test("repository and ref determine the commit", async () => {
  await using first = await startForTest({ seed: 1 });
  await using second = await startForTest({ seed: 2 });
  const commits = [first, second].map(
    async (mock) => (await (await make(mock)).revision()).source_revision_config.repo_commit_sha,
  );
  const [one, other] = await Promise.all(commits);
  expect(one).toBe(other);
});

test("log lines appear while their phase lasts, and are paged, ordered and filtered", async () => {
  await using mock = await startForTest({ transitions: "time:100s" });
  const { id, first } = await make(mock);
  const log = async (kind: string, body?: object) =>
    (await mock.cloud("POST", `/v1/projects/${id}/revisions/${first}/${kind}_logs`, body)).body;
  expect(await log("build")).toEqual({ logs: [], next_offset: null });
  mock.clock.advance("21s");
  const early = await log("build");
  expect(early.logs).toHaveLength(1);
  mock.clock.advance("79s");
  const all = await log("build", {});
  expect(all.logs).toHaveLength(5);
  expect(all.logs[0]).toEqual({
    id: expect.any(String),
    timestamp: Date.UTC(2026, 0, 1, 0, 0, 20),
    level: "INFO",
    message: early.logs[0].message,
  });
  const page = await log("build", { limit: 2 });
  expect(page).toEqual({ logs: all.logs.slice(0, 2), next_offset: "2" });
  expect((await log("build", { limit: 3, offset: "2" })).next_offset).toBeNull();
  expect((await log("build", { order: "desc", limit: 1 })).logs).toEqual([all.logs[4]]);
  expect((await log("build", { query: "INSTALLING" })).logs).toHaveLength(1);
  expect((await log("build", { level: "ERROR" })).logs).toEqual([]);
  expect(
    (await log("build", { start_time: "2026-01-01T00:00:21Z", end_time: "2026-01-01T00:01:00Z" })).logs,
  ).toHaveLength(4);
  expect((await log("deploy")).logs.length).toBeGreaterThan(0);
  const whole = (await mock.cloud("POST", `/v1/projects/${id}/deploy_logs`)).body;
  expect(whole.logs).toEqual((await log("deploy")).logs);
});

test("an invalid log query is refused", async () => {
  await using mock = await startForTest();
  const { id, first } = await make(mock);
  const path = `/v1/projects/${id}/revisions/${first}/build_logs`;
  expect(await mock.cloud("POST", path, { limit: 0 })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "limit"] }] },
  });
  expect(await mock.cloud("POST", path, { order: "up" })).toMatchObject({ status: 422 });
  expect(await mock.cloud("POST", path, { start_time: "soon" })).toMatchObject({ status: 400 });
  expect(await mock.cloud("POST", path, { offset: "x" })).toMatchObject({ status: 400 });
});

test("an agent server responds with 503 before the first revision is live, then serves, and responds with 404 once deleted", async () => {
  await using mock = await startForTest({ transitions: "time:100s" });
  const { id, first, path } = await make(mock);
  const ok = () => fetch(`${mock.url}/agents/${id}/ok`);
  const early = await ok();
  expect(early.status).toBe(503);
  expect(await early.json()).toEqual({ detail: expect.any(String) });
  mock.clock.advance("100s");
  expect(await (await ok()).json()).toEqual({ ok: true });
  expect(await (await fetch(`${mock.url}/agents/${id}/info`)).json()).toMatchObject({ host: { revision_id: first } });
  await mock.cloud("DELETE", path);
  mock.clock.advance("100s");
  expect((await ok()).status).toBe(404);
});

test("a server continues from the snapshot of an earlier one", async () => {
  const first = await startForTest();
  const { id } = await make(first);
  const snapshot = await first.snapshot.get();
  await first.close();
  await using second = await startForTest({ publicUrl: "https://mock.example/" });
  await second.snapshot.put(snapshot, { confirm: true });
  const { body } = await second.cloud("GET", `/v2/deployments/${id}`);
  expect(body).toMatchObject({ id, source_config: { custom_url: `https://mock.example/agents/${id}` } });
});
