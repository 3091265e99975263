import { describe, expect, test } from "vitest";
import { AgentServer } from "../../../core/client/agent-server.ts";
import { applyAgentContent } from "../../../core/reconcile/agent-content.ts";
import type { FaultRule } from "../../../mock-server/faults/fault-rule.ts";
import { content, observedContent, startContentGround } from "../../kit/agent-content.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import { startScriptedServer } from "../../kit/scripted-server.ts";

const effects = {
  "is lost after it was applied": { reset: "after" },
  "is lost before it was applied": { reset: "before" },
  "gets 503 from a gateway": { status: 503 },
  "gets 429": { status: 429, headers: { "retry-after": "1" } },
  "gets half a response": { truncate: true },
} as const satisfies Record<string, FaultRule["effect"]>;

const writing = [
  "POST /assistants",
  "PATCH /assistants/*",
  "POST /runs/crons",
  "PATCH /runs/crons/*",
  "PUT /store/items",
];

const changed = {
  assistants: { ...content.assistants, friendly: { graph_id: "agent", context: { tone: "warm-tone" } } },
  crons: { ...content.crons, nightly: { schedule: "0 4 * * *", assistant_id: "friendly" } },
  store: [{ namespace: ["settings", "limits"], key: "questions", value: { max: 6 } }],
};
const observedChange = {
  ...observedContent,
  crons: ["hourly: 0 * * * *", "nightly: 0 4 * * *"],
  items: [{ max: 6 }],
};

describe.each(Object.entries(effects))("a write that %s", (_, effect) => {
  test.each(writing)("is settled without a duplicate: %s", async (request) => {
    await using ground = await startContentGround();
    const { mock, options } = ground;
    const [method, path] = request.split(" ") as [string, string];
    mock.faults.add({ match: { method, path: `/agents/*${path}` }, times: 2, effect });
    await applyAgentContent(ground.client(), content, options);
    expect(await ground.observe()).toEqual(observedContent);
    await applyAgentContent(ground.client(), changed, options);
    expect(await ground.observe()).toEqual(observedChange);
    expect(mock.faults.list()[0]?.happened).toBeGreaterThan(0);
    ground.writes();
    await applyAgentContent(ground.client(), changed, options);
    expect(ground.writes()).toEqual([]);
  });
});

/** The clock of a process that is killed at its first wait. */
function endingClock(): FakeClock {
  const clock = new FakeClock();
  clock.onSleep = () => {
    throw new Error("The process ended.");
  };
  return clock;
}

const steps = [
  ["POST /assistants", 1],
  ["POST /assistants", 2],
  ["POST /runs/crons", 1],
  ["POST /runs/crons", 2],
  ["PUT /store/items", 1],
] as const;

test.each(steps)("a run that ends at %s, number %i, is continued by the next", async (request, nth) => {
  await using ground = await startContentGround();
  const { mock, options } = ground;
  const [method, path] = request.split(" ") as [string, string];
  mock.faults.add({ match: { method, path: `/agents/*${path}` }, nth, effect: { reset: "after" } });
  const ended = applyAgentContent(ground.client(endingClock()), content, options);
  await expect(ended).rejects.toThrow("The process ended.");
  await applyAgentContent(ground.client(), content, options);
  expect(await ground.observe()).toEqual(observedContent);
  // Neither the write with the unknown outcome nor an earlier one was sent again.
  expect(ground.writes()).toHaveLength(5);
});

test("a second cron with the same marker is deleted", async () => {
  await using ground = await startContentGround();
  const { options } = ground;
  await applyAgentContent(ground.client(), content, options);
  const [cron] = (await ground.call("POST", "/runs/crons/search", { metadata: { graphdeploy_key: "nightly" } })).body;
  await ground.call("POST", "/runs/crons", { ...cron, ...cron.payload, metadata: cron.metadata });
  const { changes } = await applyAgentContent(ground.client(), content, options);
  expect(changes).toEqual([{ kind: "cron", name: "nightly", action: "delete", fields: [] }]);
  expect(await ground.observe()).toEqual(observedContent);
});

test("the wait for a server outlasts the responses of a gateway, and ends at its deadline", async () => {
  const clock = new FakeClock();
  const startedAt = clock.now();
  await using gateway = await startScriptedServer(({ nth }) => {
    if (clock.now() - startedAt > 40_000) return { body: { ok: true } };
    return nth % 2 === 0 ? { status: 503 } : { status: 404, body: "<html>", headers: { "content-type": "text/html" } };
  });
  const settings = { apiKey: "key", baseUrl: gateway.url, agentHosts: [], allowHttpHosts: [] };
  const server = new AgentServer({ url: gateway.url, settings, clock, random: () => 0 });
  await expect(server.waitUntilServing({ timeoutMs: 10_000 })).rejects.toMatchObject({
    name: "TimeoutError",
    message: expect.stringContaining(`The agent server at ${gateway.url} isn't serving after 10s: `),
  });
  const beats: number[] = [];
  await server.waitUntilServing({ onWaiting: (elapsedMs) => beats.push(elapsedMs) });
  expect(beats).toEqual([30_000]);
});
