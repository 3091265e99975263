import { expect, test } from "vitest";
import { AgentLines } from "../../../mock-server/control-plane/logs/agent-lines.ts";
import { createClock } from "../../../mock-server/kit/clock.ts";
import { Redaction } from "../../../mock-server/kit/redaction.ts";
import { apiOf, githubBody, startForTest } from "../../kit/mock-server/api.ts";

async function startWithDeployment(changes: object = {}) {
  const mock = await startForTest();
  const { body: deployment } = await mock.cloud("POST", "/v2/deployments", { ...githubBody(), ...changes });
  const agent = apiOf(`${mock.url}/agents/${deployment.id}`);
  const logs = async (path = "", body: object = {}) =>
    (await mock.cloud("POST", `/v1/projects/${deployment.id}${path}/deploy_logs`, body)).body;
  const messages = async (path = "", body: object = {}) =>
    (await logs(path, body)).logs.map(({ message }: { message: string }) => message) as string[];
  return Object.assign(mock, { deployment, agent, logs, messages });
}

const say = (content: string) => ({ assistant_id: "chat", input: { messages: [{ role: "user", content }] } });

test("runs are logged in the deploy log of the revision that served them, with levels and times", async () => {
  await using mock = await startWithDeployment();
  const first = mock.deployment.latest_revision_id;
  mock.clock.advance("1m");
  expect((await mock.agent("POST", "/runs/wait", say("Good day"))).status).toBe(200);
  await mock.agent("POST", "/runs/wait", { assistant_id: "failure", input: {} });
  const lines = (await mock.logs(`/revisions/${first}`)).logs;
  const line = { id: expect.any(String), timestamp: mock.clock.now(), level: "INFO" };
  expect(lines.slice(-4)).toEqual([
    { ...line, message: expect.stringMatching(/^Run \S+ of graph chat has started/) },
    { ...line, message: expect.stringMatching(/^Run \S+ succeeded/) },
    { ...line, message: expect.stringContaining("of graph failure has started") },
    { ...line, level: "ERROR", message: expect.stringContaining(" failed:") },
  ]);
  expect(new Set(lines.map(({ id }: { id: string }) => id)).size).toBe(lines.length);

  const { body: changed } = await mock.cloud("PATCH", `/v2/deployments/${mock.deployment.id}`, {
    source_revision_config: { repo_ref: "next" },
  });
  await mock.agent("POST", "/runs/wait", say("Good evening"));
  const runsOf = async (path: string) =>
    (await mock.messages(path)).filter((message) => message.includes("has started")).length;
  expect(await runsOf(`/revisions/${first}`)).toBe(2);
  expect(await runsOf(`/revisions/${changed.latest_revision_id}`)).toBe(1);
  expect(await runsOf("")).toBe(3);
});

test("a run's lines are paged, and filtered by level, text and time", async () => {
  await using mock = await startWithDeployment();
  const before = mock.clock.now();
  mock.clock.advance("1m");
  for (const text of ["one", "two"]) await mock.agent("POST", "/runs/wait", say(text));
  await mock.agent("POST", "/runs/wait", { assistant_id: "failure", input: {} });
  const whole = (await mock.logs()).logs;
  const read: unknown[] = [];
  for (let offset: string | null = "0"; offset !== null; ) {
    const page: { logs: unknown[]; next_offset: string | null } = await mock.logs("", { limit: 4, offset });
    read.push(...page.logs);
    offset = page.next_offset;
  }
  expect(read).toEqual(whole);
  expect(await mock.messages("", { level: "ERROR" })).toEqual([expect.stringContaining(" failed")]);
  expect(await mock.messages("", { query: "SUCCEEDED" })).toHaveLength(2);
  const since = await mock.messages("", { start_time: new Date(before + 1000).toISOString(), order: "desc" });
  expect(since).toHaveLength(6);
  expect(since[0]).toContain(" failed");
});

test("a deployment's secrets are redacted in its logs, and a search doesn't find them", async () => {
  const secret = "sk-of-the-deployment";
  await using mock = await startWithDeployment({ secrets: [{ name: "MODEL_KEY", value: secret }] });
  const input = { message: `the key ${secret} is refused` };
  await mock.agent("POST", "/runs/wait", { assistant_id: "failure", input });
  mock.transitions.set({ rules: [{ name: "*", fail: "BUILD_FAILED", logLines: [`echo ${secret}`] }] });
  const { body } = await mock.cloud("POST", `/v2/deployments/${mock.deployment.id}/revisions`, {});
  const build = `/v1/projects/${mock.deployment.id}/revisions/${body.id}/build_logs`;
  const all = JSON.stringify([await mock.logs(), (await mock.cloud("POST", build, {})).body]);
  expect(all).toContain("the key [redacted] is refused");
  expect(all).toContain("echo [redacted]");
  expect(all).not.toContain(secret);
  expect(await mock.messages("", { query: secret.slice(0, 8) })).toEqual([]);
});

test("the logs of another workspace's deployment don't exist", async () => {
  await using mock = await startWithDeployment();
  await mock.agent("POST", "/runs/wait", say("Good day"));
  for (const path of ["", `/revisions/${mock.deployment.latest_revision_id}`]) {
    const url = `/v1/projects/${mock.deployment.id}${path}/deploy_logs`;
    expect((await mock.cloud("POST", url, {}, { "x-tenant-id": "other" })).status).toBe(404);
  }
});

test("the log of an agent server is removed with its deployment", () => {
  const lines = new AgentLines({ clock: createClock(), redaction: new Redaction() });
  const entry = { deploymentId: "a", revisionId: "r", level: "INFO", message: "hello" } as const;
  lines.add(entry);
  lines.add({ ...entry, deploymentId: "b" });
  lines.clear("a");
  expect([lines.of("a").length, lines.of("b").length]).toEqual([0, 1]);
  lines.clear();
  expect(lines.of("b")).toEqual([]);
});

test("a log keeps its last 5,000 lines, none longer than 8,192 characters", () => {
  const lines = new AgentLines({ clock: createClock(), redaction: new Redaction() });
  const add = (message: string) => lines.add({ deploymentId: "a", revisionId: "r", level: "DEBUG", message });
  for (let number = 1; number <= 12_000; number += 1) add(String(number));
  add("x".repeat(100_000));
  const kept = lines.of("a");
  expect([kept.length, kept[0]?.message, kept.at(-1)?.message.length]).toEqual([5_000, "7002", 8_193]);
});

test("a secret at the cut of a long line is redacted completely", () => {
  const redaction = new Redaction();
  redaction.remember("the-secret-value-of-a-deployment");
  const lines = new AgentLines({ clock: createClock(), redaction });
  const message = `${"x".repeat(8_180)}the-secret-value-of-a-deployment${"x".repeat(100)}`;
  lines.add({ deploymentId: "a", revisionId: "r", level: "INFO", message });
  expect(lines.of("a")[0]?.message).not.toContain("the-secret");
});
