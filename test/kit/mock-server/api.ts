import type { ReplacedParts } from "../../../mock-server/compose.ts";
import { type MockServer, type MockServerOptions, startMockServerWith } from "../../../mock-server/server.ts";
import { testStorage } from "../test-storage.ts";

/** A response, whose body is parsed if it is JSON. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect bodies of any shape
  body: any;
}

export type Api = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ApiResponse>;

/**
 * A client for a base URL. It sends an API key unless `headers` override it. Strings and bytes are sent as they are,
 * anything else as JSON.
 */
export function apiOf(baseUrl: string): Api {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { "x-api-key": "test-key", "content-type": "application/json", ...headers },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text };
  };
}

/** A server for one test, with a frozen clock. `warnings` has the warnings so far. */
export async function startForTest(
  options: MockServerOptions = {},
  parts: ReplacedParts = {},
): Promise<MockServer & { cloud: Api; selfHosted: Api; warnings: string[] }> {
  const storage = await testStorage();
  const kept = storage ? { dataDirectory: storage.folder } : {};
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const defaults: MockServerOptions = { port: 0, seed: 1, transitions: "immediate", onWarning, ...kept };
  const server = await startMockServerWith(parts, { ...defaults, ...options });
  server.clock.freeze(Date.UTC(2026, 0, 1));
  return Object.assign(server, {
    warnings,
    cloud: apiOf(server.url),
    selfHosted: apiOf(server.selfHostedUrl),
    async [Symbol.asyncDispose]() {
      await server.close();
      await storage?.[Symbol.asyncDispose]();
    },
  });
}

type Fields = Record<string, unknown>;

/** The body of a create from a repository. `changes` replace whole top-level fields. */
export function githubBody(changes: Fields = {}): Fields {
  return {
    name: "agent",
    source: "github",
    source_config: {
      integration_id: "integration-1",
      repo_url: "https://github.com/acme/agents",
      build_on_push: false,
    },
    source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
    secrets: [],
    ...changes,
  };
}

/** The body of a create from an image. */
export function dockerBody(changes: Fields = {}): Fields {
  return {
    name: "agent",
    source: "external_docker",
    source_config: { resource_spec: {} },
    source_revision_config: { image_uri: "registry.example/agents:1.2.3" },
    secrets: [],
    ...changes,
  };
}
