import { expect, test } from "vitest";
import { startAgent } from "../../kit/agent-server/agent.ts";
import { githubBody, startForTest } from "../../kit/mock-server/api.ts";

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

test("a body that is nested too deeply is refused, and lists keep working", async () => {
  await using mock = await startForTest();
  const bodyOf = (levels: number) =>
    JSON.stringify(
      githubBody({ source_config: { repo_url: "https://github.com/acme/agents", resource_spec: { x: 0 } } }),
    ).replace('"x":0', `"x":${nested(levels)}`);
  for (const levels of [600, 5000, 400_000]) {
    const { status, body } = await mock.cloud("POST", "/v2/deployments", bodyOf(levels));
    expect(status).toBe(422);
    expect(body.detail).toEqual([{ loc: ["body"], msg: expect.stringContaining("500 levels"), type: "json_invalid" }]);
  }
  expect((await mock.cloud("POST", "/v2/deployments", bodyOf(400))).status).toBe(201);
  expect((await mock.cloud("GET", "/v2/deployments")).status).toBe(200);
  expect((await mock.cloud("GET", "/_mock/snapshot")).status).toBe(200);
});

test("the journal shows a body that is nested too deeply as text", async () => {
  await using mock = await startForTest();
  await mock.cloud("PATCH", "/v2/deployments/x", nested(20_000));
  const { status, body } = await mock.cloud("GET", "/_mock/requests");
  expect(status).toBe(200);
  expect(body.requests[0].request.body).toBe(nested(20_000));
  expect((await mock.cloud("POST", "/_mock/seed", nested(20_000))).status).toBe(422);
});

test("brackets in a string don't count as levels", async () => {
  await using mock = await startForTest();
  const name = "agent";
  const value = `"${"[{".repeat(2000)}\\"`;
  const { status } = await mock.cloud("POST", "/v2/deployments", githubBody({ name, secrets: [{ name: "A", value }] }));
  expect(status).toBe(201);
});

test("an agent server refuses a body that is nested too deeply, and its searches keep working", async () => {
  await using agent = await startAgent();
  const { status, body } = await agent.call("POST", "/threads", `{"metadata":{"a":${nested(5000)}}}`);
  expect({ status, detail: body.detail }).toEqual({ status: 400, detail: expect.stringContaining("500 levels") });
  expect((await agent.call("POST", "/threads/search", {})).status).toBe(200);
  expect(agent.defects).toEqual([]);
});
