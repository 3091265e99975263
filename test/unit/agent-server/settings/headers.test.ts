import { expect, test } from "vitest";
import { type ConfiguredAgent, startConfigured } from "../../../kit/agent-server/compiled/configured-project.ts";

const sent = {
  "x-user": "ada",
  "x-api-key": "key",
  "x-tenant-id": "tenant",
  "accept-language": "cs",
  authorization: "Bearer token",
  cookie: "a=b",
};

/** The headers that a graph sees in `configurable`, without those that fetch adds. */
async function seen(agent: ConfiguredAgent, path = "/runs/wait", headers: Record<string, string> = sent) {
  const input = { assistant_id: "agent", input: { text: "a" }, if_not_exists: "create" };
  const names = Object.keys((await agent.call("POST", path, input, headers)).body.seen);
  return names.filter((name) => name in sent).sort();
}

test.each([
  [undefined, ["x-user"]],
  [{ excludes: ["x-*"] }, []],
  [{ includes: ["*"] }, ["accept-language", "cookie", "x-user"]],
  [{ includes: ["*"], excludes: ["coo*", "X-USER"] }, ["accept-language"]],
  [{ includes: ["Accept-*", "x-api-key", "authorization"] }, ["accept-language"]],
])("with configurable_headers %j graphs see %j", async (configurable_headers, expected) => {
  await using agent = await startConfigured({ keys: { http: { configurable_headers } } });
  expect(await seen(agent)).toEqual(expected);
});

test("the headers of a thread's earlier run aren't those of its next one", async () => {
  await using agent = await startConfigured({ keys: { http: { configurable_headers: { includes: ["accept-*"] } } } });
  const path = "/threads/00000000-0000-4000-8000-000000000001/runs/wait";
  expect(await seen(agent, path)).toEqual(["accept-language"]);
  expect(await seen(agent, path, { "accept-language": "de", "x-user": "a" })).toEqual(["accept-language"]);
  const input = { assistant_id: "agent", input: { text: "a" } };
  const last = await agent.call("POST", path, input, { "x-user": "a" });
  expect(last.body.seen["accept-language"]).not.toBe("de");
});

test("with logging_headers requests are logged with the headers that match, and never with secrets", async () => {
  const logging_headers = { includes: ["*"], excludes: ["accept*"] };
  await using agent = await startConfigured({ keys: { http: { logging_headers } } });
  await agent.call("GET", "/assistants/agent?a=b", undefined, sent);
  const [line = ""] = agent.lines.filter((one) => one.startsWith("GET /assistants/agent 200"));
  expect(line).toContain("x-user: ada");
  for (const secret of ["key", "Bearer", "a=b", "cs"]) expect(line).not.toContain(secret);
});

test("without logging_headers requests aren't logged", async () => {
  await using agent = await startConfigured({ keys: {} });
  await agent.call("GET", "/assistants/agent", undefined, sent);
  expect(agent.lines).toEqual([]);
});
