import { expect, test } from "vitest";
import type { AuthHandlers } from "../../../mock-server/agent-server/auth/auth-handlers.ts";
import { EndedRuns } from "../../../mock-server/agent-server/runs/ended-runs.ts";
import { Alarms } from "../../../mock-server/kit/alarms.ts";
import { createClock } from "../../../mock-server/kit/clock.ts";
import { EventLog } from "../../../mock-server/kit/event-log.ts";
import { parseEvents, startAgent, type TestAgent } from "../../kit/agent-server/agent.ts";

const quick = { assistant_id: "delay", input: { ms: 0 } };

async function locationOf(agent: TestAgent, path: string, body: object, headers = {}): Promise<string> {
  const response = await fetch(agent.url + path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });
  // Only the headers count, as for a client whose connection breaks before the body.
  await response.text();
  return response.headers.get("location") as string;
}

test("the result of a stateless run can be joined for a minute after its end", async () => {
  await using agent = await startAgent();
  const location = await locationOf(agent, "/runs/wait", quick);
  const joined = await agent.call("GET", location);
  expect(joined).toMatchObject({ status: 200, body: { ms: 0 } });
  expect(joined.headers.get("location")).toBe(location);
  const failed = await locationOf(agent, "/runs/wait", { assistant_id: "failure", input: { message: "no" } });
  expect((await agent.call("GET", failed)).body).toMatchObject({
    __error__: { message: expect.stringContaining("no") },
  });
  agent.clock.advance("59s");
  expect((await agent.call("GET", location)).status).toBe(200);
  agent.clock.advance("1s");
  expect((await agent.call("GET", location)).status).toBe(404);
});

test("the events of a stateless run can be replayed for a minute after its end", async () => {
  await using agent = await startAgent();
  const body = { assistant_id: "events", input: { steps: 3 }, stream_mode: "custom", stream_resumable: true };
  const location = await locationOf(agent, "/runs/stream", body);
  const replay = async () => {
    const response = await fetch(agent.url + location, { headers: { "last-event-id": "-" } });
    return response.status === 200 ? parseEvents(await response.text()).map(({ event }) => event) : response.status;
  };
  expect(await replay()).toEqual(["metadata", "custom", "custom", "custom"]);
  agent.clock.advance("1m");
  expect(await replay()).toBe(404);
});

test("nothing else of a stateless run outlives it, and nothing at all if nobody waited for it or everything is removed", async () => {
  await using agent = await startAgent();
  const location = await locationOf(agent, "/runs/wait", quick);
  const run = location.replace(/\/join$/, "");
  const threadPath = run.replace(/\/runs\/.*$/, "");
  for (const path of [run, threadPath, `${threadPath}/runs`]) {
    expect((await agent.call("GET", path)).status, path).toBe(404);
  }

  const { body: started } = await agent.call("POST", "/runs", quick);
  const background = `/threads/${started.thread_id}/runs/${started.run_id}/join`;
  await agent.call("GET", background);
  expect((await agent.call("GET", background)).status).toBe(404);

  await agent.call("POST", "/internal/truncate", { runs: true });
  expect((await agent.call("GET", location)).status).toBe(404);
});

test("a user can join only ended runs that pass the access filters", async () => {
  const auth: AuthHandlers = {
    admitsStudio: false,
    async authenticate({ headers }) {
      const identity = new Headers(headers).get("x-user") ?? "";
      return { identity, permissions: [], is_authenticated: true, display_name: identity };
    },
    async authorize({ user: { identity: owner }, value }) {
      return { value: { ...value, metadata: { ...(value.metadata as object), owner } }, filter: { owner } };
    },
  };
  await using agent = await startAgent({ auth });
  const location = await locationOf(agent, "/runs/wait", quick, { "x-user": "ann" });
  expect((await agent.call("GET", location, undefined, { "x-user": "ann" })).status).toBe(200);
  expect((await agent.call("GET", location, undefined, { "x-user": "bea" })).status).toBe(404);
});

test("ended runs are kept up to a number, a size and a time", () => {
  const clock = createClock();
  clock.freeze(0);
  using alarms = new Alarms(clock);
  const ended = new EndedRuns({ clock, alarms }, { runs: 2, size: 100, keptMs: 1000 });
  const log = new EventLog({ now: () => 0, keeps: false });
  const add = (id: string, length = 1) =>
    ended.add({ run_id: id, thread_id: "t", metadata: {}, log }, { text: "x".repeat(length) });
  const kept = () => ["a", "b", "c", "d", "e"].filter((id) => ended.get(id));
  add("a");
  add("b");
  add("c");
  expect(kept()).toEqual(["b", "c"]);
  add("d", 80);
  expect(kept()).toEqual(["d"]);
  add("e", 200);
  expect(kept()).toEqual(["d"]);
  clock.advance("2s");
  expect(kept()).toEqual([]);
});
