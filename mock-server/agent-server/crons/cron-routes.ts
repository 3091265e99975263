import { z } from "zod";
import { agentRoute } from "../agent-route.ts";
import { invalid, notFound } from "../agent-schemas.ts";
import { byBody, byPath } from "../auth/access-rule.ts";
import type { Fields } from "../engine/contract.ts";
import { pageHeaders, selected } from "../paging.ts";
import type { CronFilter } from "../persistence/cron-table.ts";
import type { CronRecord } from "../persistence/records.ts";
import { ok } from "../responses.ts";
import { createCron, patchCron } from "./cron-access.ts";
import { cron, cronCount, cronCreate, cronPatch, cronSearch, threadCronCreate } from "./cron-schemas.ts";
import { findCron } from "./cron-service.ts";

const tag = "Crons";
const path = "/runs/crons/{cron_id}";
const one = { description: "The schedule.", schema: cron };
const failures = { 404: notFound, 422: invalid };

/** A schedule as it is sent: without what is known of its user, which may hold tokens. */
function viewCron({ user: _, ...record }: CronRecord): Fields {
  return record;
}

/** A filter with its ids as they are stored. */
function withLowerIds<Filter extends CronFilter>(filter: Filter): Filter {
  return {
    ...filter,
    assistant_id: filter.assistant_id?.toLowerCase(),
    thread_id: filter.thread_id?.toLowerCase(),
  };
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
    handle: async ({ host, params, body }) => ok(viewCron(host.crons.create(params.thread_id as string, body, host))),
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
    handle: async ({ host, body }) => ok(viewCron(host.crons.create(null, body, host))),
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
      const { limit, offset, sort_by: by, sort_order: direction, select, ...filter } = withLowerIds(body);
      const page = host.state.crons.search(filter, { by, direction }, limit, offset);
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
    handle: async ({ host, body }) => ok(host.state.crons.count(withLowerIds(body))),
  }),
  agentRoute({
    id: "get_cron",
    access: byPath("crons", "read"),
    method: "get",
    path,
    tag,
    summary: "Read a schedule",
    responses: { 200: one, ...failures },
    handle: async ({ host, params }) => ok(viewCron(findCron(host, params.cron_id as string))),
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
      return ok(viewCron(host.crons.patch(findCron(host, params.cron_id as string), body)));
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
      const { cron_id: cronId } = findCron(host, params.cron_id as string);
      host.crons.remove(cronId);
      return ok({});
    },
  }),
];
