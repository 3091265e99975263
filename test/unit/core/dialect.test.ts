import { expect, test } from "vitest";
import { ControlPlane, type ControlPlaneOptions } from "../../../core/client/client.ts";
import { dialectOf, toBothNames, toDialect, toNeutralNames } from "../../../core/client/wire/conventions.ts";
import { deployment, deploymentId } from "../../kit/deployments.ts";
import { startScriptedServer } from "../../kit/scripted-server.ts";

const patch = { source_revision_config: { graph_config_path: "b.json" } };

function client(baseUrl: string, options: Partial<ControlPlaneOptions> = {}): ControlPlane {
  return new ControlPlane({ baseUrl, apiKey: "key-of-the-test", ...options });
}

test("a field with both names is read once, and a null doesn't override a value", () => {
  expect(toNeutralNames({ graph_config_path: null, langgraph_config_path: "a" })).toEqual({ graph_config_path: "a" });
  expect(toNeutralNames({ graph_config_path: "a", langgraph_config_path: null })).toEqual({ graph_config_path: "a" });
});

test("a server sends both names, a client only one", () => {
  expect(toBothNames({ graph_node: "n", id: 1 })).toEqual({ graph_node: "n", langgraph_node: "n", id: 1 });
  expect(toDialect({ graph_node: "n" }, "langgraph")).toEqual({ langgraph_node: "n" });
  expect(toDialect({ graph_node: "n" }, "graph")).toEqual({ graph_node: "n" });
});

test("the names of an object show its dialect", () => {
  expect(dialectOf({ graph_config_path: "a", langgraph_config_path: "a" })).toBe("graph");
  expect(dialectOf({ langgraph_config_path: "a" })).toBe("langgraph");
  expect(dialectOf({ repo_ref: "a" })).toBeUndefined();
});

test("requests to the service's own hosts use brand names, others neutral ones", () => {
  expect(client("https://api.host.langchain.com").dialect).toBe("langgraph");
  expect(client("https://host.example/api-host").dialect).toBe("graph");
  expect(client("https://api.host.langchain.com", { dialect: "graph" }).dialect).toBe("graph");
});

test("after a response with brand names, requests use them", async () => {
  const source_revision_config = { repo_ref: "main", langgraph_config_path: "a.json" };
  await using server = await startScriptedServer(() => ({ body: { ...deployment(), source_revision_config } }));
  const plane = client(server.url);
  const read = await plane.deployments.get(deploymentId);
  expect(read.source_revision_config).toEqual({ repo_ref: "main", graph_config_path: "a.json" });
  await plane.deployments.update(deploymentId, patch, { makesRevision: true });
  expect(server.requests[1]?.body).toEqual({ source_revision_config: { langgraph_config_path: "b.json" } });
});

test("before any response, a patch uses neutral names", async () => {
  await using server = await startScriptedServer(() => ({ body: deployment() }));
  await client(server.url).deployments.update(deploymentId, patch, { makesRevision: true });
  expect(server.requests[0]?.body).toEqual(patch);
});
