import { afterAll, expect, test } from "vitest";
import { startAgent, thread } from "../../kit/agent-server/agent.ts";
import { startAgentOf, startProject } from "../../kit/agent-server/compiled/project.ts";

const project = await startProject("basics");
const withCors = await startProject("greeter");
afterAll(() => Promise.all([project.close(), withCors.close()]));

const everything = { runs: true, threads: true, assistants: true, checkpointer: true, store: true };

test.each([
  ["scripted graphs", () => startAgent()],
  ["a project", () => startAgentOf(project)],
  ["a project with rules of its own for other origins", () => startAgentOf(withCors)],
])("pages of other sites can't use operations meant for operators: %s", async (_, start) => {
  await using agent = await start();
  await agent.call("POST", "/threads", { thread_id: thread(1) });
  for (const path of ["/internal/truncate", "/%69nternal/truncate"]) {
    const origin = "https://elsewhere.example";
    const preflightHeaders = { origin, "access-control-request-method": "POST" };
    const preflight = await fetch(agent.url + path, { method: "OPTIONS", headers: preflightHeaders });
    // Browsers send it without a preflight request, because it has no header that pages can't set.
    const simple = {
      method: "POST",
      headers: { origin, "content-type": "text/plain" },
      body: JSON.stringify(everything),
    };
    const sent = await fetch(agent.url + path, simple);
    expect([preflight.status, sent.status]).toEqual([403, 403]);
    for (const { headers } of [preflight, sent]) {
      expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  }
  expect((await agent.call("GET", `/threads/${thread(1)}`)).status).toBe(200);
  const own = { origin: "http://localhost:3000", "sec-fetch-site": "cross-site" };
  expect((await agent.call("POST", "/internal/truncate", everything, own)).status).toBe(200);
  expect((await agent.call("GET", `/threads/${thread(1)}`)).status).toBe(404);
});

test("a disabled group is disabled however its path is encoded", async () => {
  await using agent = await startAgentOf(withCors);
  expect((await agent.call("GET", "/store/items?namespace=a&key=b")).body).toEqual(
    (await agent.call("GET", "/%73tore/items?namespace=a&key=b")).body,
  );
});
