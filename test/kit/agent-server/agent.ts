import {
  createGraphAgentServer,
  type GraphAgentServerOptions,
} from "../../../mock-server/agent-server/graph-agent-server.ts";
import { agentSchema } from "../../../mock-server/agent-server/persistence/agent-schema.ts";
import { startDevServer } from "../../../mock-server/dev-server.ts";
import { builtInGraphs } from "../../../mock-server/graphs/built-in-graphs.ts";
import { type Clock, createClock } from "../../../mock-server/kit/clock.ts";
import { createIdSource } from "../../../mock-server/kit/ids.ts";
import { DataDirectory } from "../../../mock-server/kit/store/data-directory.ts";
import { type Api, apiOf } from "../mock-server/api.ts";
import { testStorage } from "../test-storage.ts";

/** One event of a stream. */
export interface StreamedEvent {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect events of any shape
  data: any;
  id?: string;
}

/** An agent server for one test. */
export interface TestAgent extends AsyncDisposable {
  url: string;
  clock: Clock;
  call: Api;
  /** The events of a stream that ends. */
  events(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<StreamedEvent[]>;
  /** Defects that the server has reported. */
  defects: unknown[];
}

/** Starts an agent server with a frozen clock. */
export async function startAgent(options: GraphAgentServerOptions = {}): Promise<TestAgent> {
  const clock = createClock();
  clock.freeze(Date.UTC(2026, 0, 1));
  const defects: unknown[] = [];
  const storage = await testStorage();
  const directory = storage && (await DataDirectory.open(storage.folder, [agentSchema]));
  const server = createGraphAgentServer({
    graphs: builtInGraphs,
    ...(directory ? { database: directory.database } : {}),
    clock,
    ids: createIdSource(1),
    onDefect: (error) => defects.push(error),
    ...options,
  });
  const dev = await startDevServer(0, "127.0.0.1", server);
  return {
    url: dev.url,
    clock,
    call: apiOf(dev.url),
    defects,
    async events(method, path, body, headers = {}) {
      const response = await fetch(dev.url + path, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return parseEvents(await response.text());
    },
    async [Symbol.asyncDispose]() {
      await dev.close();
      directory?.close();
      await storage?.[Symbol.asyncDispose]();
    },
  };
}

/** The events in a stream's text, without comments. */
export function parseEvents(text: string): StreamedEvent[] {
  return text
    .split("\n\n")
    .map((frame) => Object.fromEntries(frame.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2))))
    .filter(({ event }) => event !== undefined)
    .map(({ event, data, id }) => ({ event, data: JSON.parse(data), ...(id === undefined ? {} : { id }) }));
}

/** Waits until `check` returns true, without a sleep, so that the server's own work continues. */
export async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setImmediate(resolve));
}

export const thread = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
