import { AgentServer } from "../../core/client/agent-server.ts";
import type { AgentContent, ContentOptions } from "../../core/reconcile/agent-content.ts";
import type { MockServer } from "../../mock-server/server.ts";
import { FakeClock } from "./fake-clock.ts";
import { type Api, apiOf, githubBody, startForTest } from "./mock-server/api.ts";

/** A live deployment on a mock server, and what its agent server has. */
export interface ContentGround extends AsyncDisposable {
  mock: MockServer;
  url: string;
  options: ContentOptions;
  /** Sends a request to the agent server outside of the reconciler. */
  call: Api;
  /** A client whose clock never waits. */
  client(clock?: FakeClock): AgentServer;
  /** The writing requests since the last call: method, path and status. */
  writes(): string[];
  /** What the files created and what others created: names with graphs, keys with schedules, values of items. */
  observe(): Promise<{ assistants: string[]; crons: string[]; items: unknown[] }>;
}

export async function startContentGround(): Promise<ContentGround> {
  const mock = await startForTest();
  const created = await mock.cloud("POST", "/v2/deployments", githubBody());
  const url = `${mock.url}/agents/${created.body.id}`;
  const call = apiOf(url);
  const settings = { apiKey: "test-key", baseUrl: mock.url, agentHosts: [], allowHttpHosts: [] };
  let seen = 0;
  return {
    mock,
    url,
    options: { deploymentId: created.body.id },
    call,
    client: (clock = new FakeClock()) => new AgentServer({ url, settings, clock, random: () => 0 }),
    writes() {
      const all = mock
        .requests({ path: "/agents/*" })
        .filter(({ method, path }) => method !== "GET" && !path.endsWith("/search"));
      const fresh = all.slice(seen);
      seen = all.length;
      return fresh.map(({ method, path, status }) => {
        const shown = path.replace(/^\/agents\/[^/]+/, "").replace(/[0-9a-f-]{36}/, "<id>");
        return `${method} ${shown} ${status ?? "reset"}`;
      });
    },
    async observe() {
      const assistants = await call("POST", "/assistants/search", { limit: 100, sort_by: "name", sort_order: "asc" });
      const crons = await call("POST", "/runs/crons/search", { limit: 100 });
      const items = await call("POST", "/store/items/search", { namespace_prefix: [], limit: 100 });
      return {
        assistants: assistants.body
          .filter(({ metadata }: { metadata: Record<string, unknown> }) => metadata.created_by !== "system")
          .map(({ name, graph_id }: Record<string, string>) => `${name}: ${graph_id}`),
        crons: crons.body
          .map(
            ({ metadata, schedule }: { metadata: Record<string, unknown>; schedule: string }) =>
              `${metadata.graphdeploy_key}: ${schedule}`,
          )
          .sort(),
        items: items.body.items.map(({ value }: { value: unknown }) => value),
      };
    },
    [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose](),
  };
}

/** Two assistants, two crons and an item. */
export const content: AgentContent = {
  assistants: {
    formal: { graph_id: "chat", description: "Formal", metadata: { team: "support" } },
    friendly: { graph_id: "agent", context: { tone: "friendly-tone" }, config: { tags: ["a"] } },
  },
  crons: {
    hourly: { schedule: "0 * * * *", assistant_id: "chat" },
    nightly: {
      schedule: "0 3 * * *",
      assistant_id: "friendly",
      input: { task: "digest" },
      end_time: "2030-01-01T00:00:00Z",
    },
  },
  store: [{ namespace: ["settings", "limits"], key: "questions", value: { max: 5 } }],
};

export const observedContent = {
  assistants: ["formal: chat", "friendly: agent"],
  crons: ["hourly: 0 * * * *", "nightly: 0 3 * * *"],
  items: [{ max: 5 }],
};

export const noContent: AgentContent = { assistants: {}, crons: {}, store: [] };
