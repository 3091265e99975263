import { z } from "zod";
import { agentRoute } from "../agent-route.ts";
import { invalid, notFound } from "../agent-schemas.ts";
import { byBody, byPath } from "../auth/access-rule.ts";
import type { Fields } from "../engine/graph.ts";
import { comparing, contains, pageHeaders, selected } from "../paging.ts";
import { ok } from "../responses.ts";
import type { CronRecord } from "../state/records.ts";
import { createCron, patchCron } from "./cron-access.ts";
import { cron, cronCount, cronCreate, cronPatch, cronSearch, threadCronCreate } from "./cron-schemas.ts";
import { findCron } from "./cron-service.ts";

const tag = "Crons";
const path = "/runs/crons/{cron_id}";
const one = { description: "The schedule.", schema: cron };
const failures = { 404: notFound, 422: invalid };

/** A schedule as it is sent: without what is known of its user, which may hold tokens. */
function viewCron({ sequence: _, user: __, ...record }: CronRecord): Fields {
  return record;
}

function cronFilter({
  assistant_id,
  thread_id,
  metadata,
  enabled,
}: z.output<typeof cronCount> & { enabled?: boolean | undefined }) {
  return (record: CronRecord) =>
    (assistant_id === undefined || record.assistant_id === assistant_id.toLowerCase()) &&
    (thread_id === undefined || record.thread_id === thread_id.toLowerCase()) &&
    (enabled === undefined || record.enabled === enabled) &&
    (metadata === undefined || contains(record.metadata, metadata));
}

export const cronRoutes = [
  agentRoute({
    id: "create_thread_cron",
    access: createCron,
    method: "post",
    path: "/threads/{thread_id}/runs/crons",
    tag,
    summary: "Run an assistant on a thread by a schedule",
    body: { schema: threadCronCreate, required: true },
    responses: { 200: one, ...failures },
    handle: async ({ host, params, body }) =>
      ok(viewCron(await host.crons.create(params.thread_id as string, body, host))),
  }),
  agentRoute({
    id: "create_cron",
    access: createCron,
    method: "post",
    path: "/runs/crons",
    tag,
    summary: "Run an assistant by a schedule, each time on a thread of its own",
    body: { schema: cronCreate, required: true },
    responses: { 200: one, ...failures },
    handle: async ({ host, body }) => ok(viewCron(await host.crons.create(null, body, host))),
  }),
  agentRoute({
    id: "search_crons",
    access: byBody("crons", "search"),
    method: "post",
    path: "/runs/crons/search",
    tag,
    summary: "Search schedules",
    body: { schema: cronSearch, required: false },
    responses: { 200: { description: "One page of schedules.", schema: z.array(cron) }, 422: invalid },
    async handle({ host, body }) {
      const { limit, offset, sort_by: sortBy, sort_order: sortOrder, select } = body;
      const page = await host.state.crons.find({
        accept: cronFilter(body),
        compare: comparing(sortBy, sortOrder),
        limit,
        offset,
      });
      return ok(
        page.rows.map((record) => selected(viewCron(record), select)),
        pageHeaders(page, offset),
      );
    },
  }),
  agentRoute({
    id: "count_crons",
    access: byBody("crons", "search"),
    method: "post",
    path: "/runs/crons/count",
    tag,
    summary: "Count schedules",
    body: { schema: cronCount, required: false },
    responses: { 200: { description: "How many there are.", schema: z.int() }, 422: invalid },
    handle: async ({ host, body }) => ok((await host.state.crons.find({ accept: cronFilter(body), limit: 0 })).total),
  }),
  agentRoute({
    id: "get_cron",
    access: byPath("crons", "read"),
    method: "get",
    path,
    tag,
    summary: "Read a schedule",
    responses: { 200: one, ...failures },
    handle: async ({ host, params }) => ok(viewCron(await findCron(host, params.cron_id as string))),
  }),
  agentRoute({
    id: "patch_cron",
    access: patchCron,
    method: "patch",
    path,
    tag,
    summary: "Change a schedule",
    body: { schema: cronPatch, required: true },
    responses: { 200: one, ...failures },
    async handle({ host, params, body }) {
      return ok(viewCron(await host.crons.patch(await findCron(host, params.cron_id as string), body)));
    },
  }),
  agentRoute({
    id: "delete_cron",
    access: byPath("crons", "delete"),
    method: "delete",
    path,
    tag,
    summary: "Delete a schedule",
    responses: { 200: { description: "It is gone.", schema: z.unknown() }, ...failures },
    async handle({ host, params }) {
      const { cron_id: cronId } = await findCron(host, params.cron_id as string);
      await host.crons.remove(cronId);
      return ok({});
    },
  }),
];
