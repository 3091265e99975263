import { expect, test } from "vitest";
import { githubBody, startForTest } from "../../kit/mock-server/api.ts";

const tenant = { "x-tenant-id": "one" };
const body = githubBody({
  source_config: { repo_url: "https://github.com/acme/agents", colour: "red" },
  secrets: [{ name: "A", value: "b", note: "c" }],
  region: "eu",
});

test("unknown fields are tolerated, as in the service", async () => {
  await using mock = await startForTest();
  expect((await mock.cloud("POST", "/v2/deployments?colour=red", body)).status).toBe(201);
});

test("a strict server names every field that it doesn't know", async () => {
  await using mock = await startForTest({ strict: true });
  const response = await mock.cloud("POST", "/v2/deployments?colour=red", body, tenant);
  expect(response.status).toBe(422);
  expect(response.body.detail).toEqual([
    { loc: ["query", "colour"], msg: expect.any(String), type: "extra_forbidden" },
    { loc: ["body", "source_config", "colour"], msg: expect.any(String), type: "extra_forbidden" },
    { loc: ["body", "secrets", 0, "note"], msg: expect.any(String), type: "extra_forbidden" },
    { loc: ["body", "region"], msg: expect.any(String), type: "extra_forbidden" },
  ]);
});

test("a strict server accepts known fields, with neutral and brand names", async () => {
  await using mock = await startForTest({ strict: true });
  const config = { repo_ref: "main", langgraph_config_path: "langgraph.json" };
  const source = { repo_url: "https://github.com/acme/agents" };
  const known = githubBody({ source_config: source, source_revision_config: config });
  expect((await mock.cloud("POST", "/v2/deployments", known, tenant)).status).toBe(201);
});
