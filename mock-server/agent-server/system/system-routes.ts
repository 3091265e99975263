import { z } from "zod";
import type { AgentHost } from "../agent-host.ts";
import { agentRoute } from "../agent-route.ts";
import { fields, invalid, named } from "../agent-schemas.ts";
import { makeDefaultAssistants } from "../assistants/assistant-model.ts";
import { needsUserOnly } from "../auth/access-rule.ts";
import { ok } from "../responses.ts";
import { runStatus } from "../runs/run-schemas.ts";
import { mayTruncate } from "./system-access.ts";

const tag = "System";

const truncation = named(
  "Truncation",
  z.object({
    runs: z.boolean().default(false),
    threads: z.boolean().default(false),
    assistants: z.boolean().default(false),
    checkpointer: z.boolean().default(false),
    store: z.boolean().default(false),
  }),
);

function metricsOf({ runs }: AgentHost) {
  const { workers, running, waiting } = runs.queue;
  return {
    workers: { max: workers, active: running, available: workers - running },
    queue: { num_pending: waiting, num_running: running },
  };
}

function prometheusText(host: AgentHost): string {
  const { workers, queue } = metricsOf(host);
  const gauges: [name: string, help: string, value: number][] = [
    ["agent_server_workers_max", "Runs that can be under way at once.", workers.max],
    ["agent_server_workers_active", "Workers that have a run.", workers.active],
    ["agent_server_workers_available", "Workers without a run.", workers.available],
    ["agent_server_queue_pending", "Runs that wait.", queue.num_pending],
    ["agent_server_queue_running", "Runs that are under way.", queue.num_running],
  ];
  return gauges
    .map(([name, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`)
    .join("");
}

export const systemRoutes = [
  agentRoute({
    id: "health_check",
    access: needsUserOnly,
    method: "get",
    path: "/ok",
    tag,
    summary: "Check the health",
    query: {
      check_db: {
        kind: "integer",
        schema: z.union([z.literal(0), z.literal(1)]).default(0),
        description: "Whether to ask the state as well.",
      },
    },
    responses: { 200: { description: "All is well.", schema: z.object({ ok: z.literal(true) }) }, 422: invalid },
    async handle({ host, query }) {
      if (query.check_db === 1) host.state.threads.count({});
      return ok({ ok: true });
    },
  }),
  agentRoute({
    id: "server_info",
    access: needsUserOnly,
    method: "get",
    path: "/info",
    tag,
    summary: "Read what the server is",
    responses: {
      200: {
        description: "Its version, what it can do, and the deployment that it serves.",
        schema: z.object({ version: z.string(), flags: fields, metadata: fields, host: fields }),
      },
    },
    async handle({ host }) {
      return ok({
        version: "0.1.0",
        flags: { assistants: true, crons: true, langsmith: false },
        metadata: {},
        host: host.identity(),
      });
    },
  }),
  agentRoute({
    id: "system_metrics",
    access: needsUserOnly,
    method: "get",
    path: "/metrics",
    tag,
    summary: "Read the queue's and the workers' figures",
    query: {
      format: {
        kind: "string",
        schema: z.enum(["prometheus", "json"]).default("prometheus"),
        description: "How to write them.",
      },
    },
    responses: {
      200: {
        description: "The figures.",
        schema: z.string(),
        mediaType: "text/plain",
        otherForms: { "application/json": fields },
      },
      422: invalid,
    },
    async handle({ host, query }) {
      if (query.format === "json") return ok(metricsOf(host));
      return {
        status: 200,
        content: prometheusText(host),
        headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
      };
    },
  }),
  agentRoute({
    id: "truncate",
    access: mayTruncate,
    method: "post",
    path: "/internal/truncate",
    tag,
    summary: "Forget everything of the chosen kinds",
    body: { schema: truncation, required: true },
    responses: { 200: { description: "Done.", schema: z.object({ ok: z.boolean() }) }, 422: invalid },
    async handle({ host, body }) {
      await truncate(host, body);
      return ok({ ok: true });
    },
  }),
];

async function truncate(host: AgentHost, chosen: z.output<typeof truncation>): Promise<void> {
  const { state, runs } = host;
  if (chosen.threads) for (const id of state.threads.ids()) await runs.deleteThread(id);
  if (chosen.runs) {
    for (const id of state.runs.ids(runStatus.options)) {
      await runs.cancel(id, "interrupt");
      state.runs.remove(id);
    }
  }
  if (chosen.checkpointer) for (const id of state.threads.ids()) state.checkpoints.clear(id);
  if (chosen.store) state.items.clear();
  if (chosen.assistants) {
    state.assistants.clear();
    makeDefaultAssistants(host);
  }
}
