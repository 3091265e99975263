import { expect, test } from "vitest";
import { startAgent } from "../../kit/agent-server/agent.ts";

test("no page of another site may use what is for operators", async () => {
  await using agent = await startAgent();
  const headers = { origin: "https://elsewhere.example", "access-control-request-method": "POST" };
  const preflight = await fetch(`${agent.url}/internal/truncate`, { method: "OPTIONS", headers });
  const { headers: sent } = await agent.call("POST", "/internal/truncate", {
    runs: true,
    threads: true,
    assistants: true,
    checkpointer: true,
    store: true,
  });
  for (const given of [preflight.headers, sent]) {
    expect([...given.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  }
  expect((await agent.call("GET", "/ok")).headers.get("access-control-allow-origin")).toBe("*");
});
