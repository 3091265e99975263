import { expect, test } from "vitest";
import { createGraphAgentServer } from "../../../../mock-server/agent-server/graph-agent-server.ts";
import { builtInGraphs } from "../../../../mock-server/graphs/built-in-graphs.ts";
import { inject } from "../../../../mock-server/kit/http/inject.ts";
import { startAgent } from "../../../kit/agent-server/agent.ts";
import { startProject } from "../../../kit/agent-server/compiled/project.ts";
import { startForTest } from "../../../kit/mock-server/api.ts";

const path = "/a2a/agent/.well-known/agent-card.json";
const agentId = "fe096781-5601-53d2-b2f6-0d3403f7e9ca";

test("the card names both versions of the protocol, in the form of the one that is wanted", async () => {
  await using agent = await startAgent();
  const url = `${agent.url}/a2a/${agentId}`;
  const { body: old, headers } = await agent.call("GET", path);
  expect(headers.get("vary")).toContain("A2A-Version");
  const shared = {
    name: "agent",
    description: expect.any(String),
    version: "1",
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ["text/plain", "application/json"],
    defaultOutputModes: ["text/plain", "application/json"],
    skills: [{ id: "agent", name: "agent", tags: ["assistant"] }],
    supportedInterfaces: [
      { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    ],
  };
  expect(old).toMatchObject({ ...shared, url, protocolVersion: "0.3.0", preferredTransport: "JSONRPC" });
  expect(old).not.toHaveProperty("securitySchemes");
  const { body: current } = await agent.call("GET", path, undefined, { "a2a-version": "1.0" });
  expect(current).toMatchObject(shared);
  expect(current).not.toHaveProperty("url");
  const { body: named } = await agent.call("GET", "/.well-known/agent-card.json?assistant_id=agent");
  expect(named).toEqual(old);
});

test("the card says that a graph without messages takes data only", async () => {
  await using agent = await startAgent();
  const { body: card } = await agent.call("GET", "/a2a/approval/.well-known/agent-card.json");
  expect(card.defaultInputModes).toEqual(["application/json"]);
});

test("the card says how requests are authenticated", async () => {
  await using mock = await startForTest();
  const { deployments } = await mock.seed({ deployments: [{ name: "a", source: "internal_source" }] });
  const at = `/agents/${deployments[0]?.id}${path}`;
  expect((await mock.cloud("GET", at)).body).toMatchObject({
    securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Api-Key" } },
    security: [{ key: [] }],
  });
  expect((await mock.cloud("GET", at, undefined, { "a2a-version": "1.0" })).body).toMatchObject({
    securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "X-Api-Key" } } },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
  });
  await using guarded = await startProject("guarded");
  await using agent = await startAgent({ projectOf: async () => guarded });
  const card = await agent.call("GET", "/a2a/who/.well-known/agent-card.json", undefined, {
    authorization: "Bearer ann",
  });
  expect(card.body).toMatchObject({ securitySchemes: { token: { type: "http", scheme: "Bearer" } } });
  expect((await agent.call("GET", "/a2a/who/.well-known/agent-card.json")).status).toBe(401);
});

test("the card has the URL of the agent server: the public one, or that of the request and its proxy", async () => {
  const live = { identity: { id: "a", name: "a", tenantId: "t", kind: "saas" as const }, revisionId: "r" };
  const urlFor = async (headers: Record<string, string>, publicUrlOf?: (id: string) => string) => {
    const server = createGraphAgentServer({ graphs: builtInGraphs, ...(publicUrlOf ? { publicUrlOf } : {}) });
    const response = await inject((context) => server.handle(live, path, context, null), {
      method: "GET",
      path: `/agents/a${path}`,
      headers,
    });
    server.close?.();
    return ((await response.json()) as { url: string }).url;
  };
  const end = `/agents/a/a2a/${agentId}`;
  expect(await urlFor({ host: "here:80" })).toBe(`http://here${end}`);
  const forwarded = { host: "inner", "x-forwarded-proto": "https", "x-forwarded-host": "outer.example, inner" };
  expect(await urlFor(forwarded)).toBe(`https://outer.example${end}`);
  expect(await urlFor({ host: "a b/<>" })).toBe(`http://localhost${end}`);
  expect(await urlFor(forwarded, (id) => `https://mock.example/agents/${id}`)).toBe(`https://mock.example${end}`);
});

test("the card of a project with a mount prefix has it in its URL", async () => {
  await using project = await startProject("basics");
  const mounted = Object.assign(Object.create(project), { mountPrefix: "/api" });
  mounted.respond = (request: Parameters<typeof project.respond>[0]) => project.respond(request);
  await using agent = await startAgent({ projectOf: async () => mounted });
  const { body: card } = await agent.call("GET", "/api/a2a/approval/.well-known/agent-card.json");
  expect(card.url).toMatch(`${agent.url}/api/a2a/`);
});
