import { z } from "zod";
import { agentRoute } from "../agent-route.ts";
import { invalid, notFound } from "../agent-schemas.ts";
import { byBody, byPath } from "../auth/access-rule.ts";
import type { Fields } from "../engine/contract.ts";
import { pageOf, selected } from "../paging.ts";
import type { CronRecord } from "../persistence/records.ts";
import { ok } from "../responses.ts";
import { createCron, patchCron } from "./cron-access.ts";
import { cron, cronCount, cronCreate, cronPatch, cronSearch, threadCronCreate } from "./cron-schemas.ts";

const tag = "Crons";
const path = "/runs/crons/{cron_id}";
const one = { description: "The schedule.", schema: cron };
const failures = { 404: notFound, 422: invalid };

/** A schedule as clients see it: without the user, who may have tokens. */
function viewCron({ user: _, ...record }: CronRecord): Fields {
  return record;
}

export const cronRoutes = [
  agentRoute({
    id: "create_thread_cron",
    access: createCron,
    method: "post",
    path: "/threads/{thread_id}/runs/crons",
    tag,
    summary: "Create a schedule that runs an assistant on a thread",
    body: { schema: threadCronCreate, required: true },
    responses: { 200: one, ...failures },
    handle: async ({ crons, params, body }) => ok(viewCron(crons.create(params.thread_id as string, body))),
  }),
  agentRoute({
    id: "create_cron",
    access: createCron,
    method: "post",
    path: "/runs/crons",
    tag,
    summary: "Create a schedule that runs an assistant, each time on a new thread",
    body: { schema: cronCreate, required: true },
    responses: { 200: one, ...failures },
    handle: async ({ crons, body }) => ok(viewCron(crons.create(null, body))),
  }),
  agentRoute({
    id: "search_crons",
    access: byBody("crons", "search"),
    method: "post",
    path: "/runs/crons/search",
    tag,
    summary: "Search schedules",
    body: { schema: cronSearch, required: false },
    responses: { 200: { description: "One page of schedules.", schema: z.array(cron.partial()) }, 422: invalid },
    async handle({ crons, body }) {
      const { limit, offset, sort_by: by, sort_order: direction, select, ...filter } = body;
      const found = crons.search(filter, { by, direction }, limit, offset);
      return pageOf(found, offset, (record) => selected(viewCron(record), select));
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
    responses: { 200: { description: "The number of matches.", schema: z.int() }, 422: invalid },
    handle: async ({ crons, body }) => ok(crons.count(body)),
  }),
  agentRoute({
    id: "get_cron",
    access: byPath("crons", "read"),
    method: "get",
    path,
    tag,
    summary: "Read a schedule",
    responses: { 200: one, ...failures },
    handle: async ({ crons, params }) => ok(viewCron(crons.find(params.cron_id as string))),
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
    handle: async ({ crons, params, body }) => ok(viewCron(crons.patch(params.cron_id as string, body))),
  }),
  agentRoute({
    id: "delete_cron",
    access: byPath("crons", "delete"),
    method: "delete",
    path,
    tag,
    summary: "Delete a schedule",
    responses: { 200: { description: "The schedule was deleted.", schema: z.unknown() }, ...failures },
    async handle({ crons, params }) {
      crons.delete(params.cron_id as string);
      return ok({});
    },
  }),
];
