import { z } from "zod";
import { agentRoute } from "../agent-route.ts";
import { errorResponse, fields, invalid } from "../agent-schemas.ts";
import { needsUserOnly } from "../auth/access-rule.ts";
import { ok } from "../responses.ts";
import { truncation } from "./system.ts";
import { mayTruncate } from "./system-access.ts";

const tag = "System";

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
        description: "Whether to check the database as well.",
      },
    },
    responses: {
      200: { description: "The server is healthy.", schema: z.object({ ok: z.literal(true) }) },
      422: invalid,
    },
    async handle({ threads, query }) {
      if (query.check_db === 1) threads.count({});
      return ok({ ok: true });
    },
  }),
  agentRoute({
    id: "server_info",
    access: needsUserOnly,
    method: "get",
    path: "/info",
    tag,
    summary: "Read information about the server",
    responses: {
      200: {
        description: "The server's version, its features, and its deployment.",
        schema: z.object({ version: z.string(), flags: fields, metadata: fields, host: fields }),
      },
    },
    handle: async ({ system }) =>
      ok({
        version: "0.1.0",
        flags: { assistants: true, crons: true, event_streaming: true, langsmith: false },
        metadata: {},
        host: system.identity,
      }),
  }),
  agentRoute({
    id: "system_metrics",
    access: needsUserOnly,
    method: "get",
    path: "/metrics",
    tag,
    summary: "Read the metrics of queue and workers",
    query: {
      format: {
        kind: "string",
        schema: z.enum(["prometheus", "json"]).default("prometheus"),
        description: "The format.",
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
    async handle({ system, query }) {
      if (query.format === "json") return ok(system.metrics);
      return {
        status: 200,
        content: system.prometheusText,
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
    summary: "Delete everything of the chosen kinds",
    body: { schema: truncation, required: true },
    responses: {
      200: { description: "Done.", schema: z.object({ ok: z.boolean() }) },
      403: { description: "The request comes from a page of another site.", schema: errorResponse },
      422: invalid,
    },
    async handle({ system, body }) {
      await system.truncate(body);
      return ok({ ok: true });
    },
  }),
];
