import type { MockServer } from "../../../mock-server/server.ts";
import { someCommit } from "./step.ts";

export const repositoryUrl = "https://github.com/acme/agents";
export const apiKey = "key-of-the-action-test";
export const secretValue = "s3cr3t+value/of the test";

/** The inputs that nearly every step has. */
export function agentInputs(mock: MockServer, inputs: Record<string, string> = {}): Record<string, string> {
  return {
    "api-key": apiKey,
    "base-url": mock.url,
    name: "support-agent",
    "graph-config-path": "graph.json",
    "integration-id": "1b2f8a90-5f0e-4a6e-8a31-2f1d3c4b5a69",
    ...inputs,
  };
}

/** Moves a branch to a new commit, as a push does, and returns the commit. */
export async function pushTo(mock: MockServer, ref = "main"): Promise<string> {
  const commit = someCommit();
  await mock.push({ repoUrl: repositoryUrl, ref, commit });
  return commit;
}

/** Sends a request to the control plane outside of the run. */
export async function ask(mock: MockServer, method: string, path: string, body?: unknown) {
  const response = await fetch(`${mock.url}${path}`, {
    method,
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: the responses of many operations.
  return (text === "" ? undefined : JSON.parse(text)) as any;
}

export async function deploymentsOf(mock: MockServer) {
  return (await ask(mock, "GET", "/v2/deployments")).resources;
}

/** The writing requests, for example `POST /v2/deployments 201`, without ids. */
export function writesOf(mock: MockServer): string[] {
  return mock
    .requests()
    .filter(({ method, path }) => method !== "GET" && !path.includes("_logs"))
    .map(
      ({ method, path, status }) => `${method} ${path.replace(/\?.*$/, "").replace(/[0-9a-f-]{36}/g, "…")} ${status}`,
    );
}

/** Creates a deployment before the run. */
export async function makeDeployment(mock: MockServer, body: Record<string, unknown> = {}) {
  return ask(mock, "POST", "/v2/deployments", {
    name: "support-agent",
    source: "github",
    source_config: {
      repo_url: repositoryUrl,
      integration_id: "1b2f8a90-5f0e-4a6e-8a31-2f1d3c4b5a69",
      deployment_type: "dev",
    },
    source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
    secrets: [],
    ...body,
  });
}

export function ownedBy(marker: string): { secrets: { name: string; value: string }[] } {
  return { secrets: [{ name: "GRAPHDEPLOY_MANAGED_BY", value: marker }] };
}
