import { z } from "zod";
import { agentRoute } from "../agent-route.ts";
import { conflict, invalid, notFound } from "../agent-schemas.ts";
import { byBody, byPath } from "../auth/access-rule.ts";
import type { Fields } from "../engine/contract.ts";
import { pageOf, selected } from "../paging.ts";
import type { ThreadRecord } from "../persistence/records.ts";
import { ok } from "../responses.ts";
import { valueAt } from "./extract.ts";
import { listThreads, objectIn, readThread } from "./thread-access.ts";
import {
  thread,
  threadCount,
  threadCreate,
  threadPatch,
  threadPrune,
  threadPruneResponse,
  threadSearch,
  threadStatus,
} from "./thread-schemas.ts";

const tag = "Threads";
const path = "/threads/{thread_id}";
const one = { description: "The thread.", schema: thread };
const page = {
  description: "One page of threads.",
  schema: z.array(thread),
  headers: ["X-Pagination-Total", "X-Pagination-Next"],
};

/** A thread as clients see it. */
function viewThread({ error, ttl, ...record }: ThreadRecord): Fields {
  return {
    ...record,
    ...(error === null ? {} : { error }),
    ...(ttl === null ? {} : { ttl }),
  };
}

function viewFound(record: ThreadRecord, { select, extract }: z.output<typeof threadSearch>): object {
  const view = viewThread(record);
  delete view.ttl;
  const extracted = extract && Object.entries(extract).map(([name, where]) => [name, valueAt(view, where) ?? null]);
  return { ...selected(view, select), ...(extracted ? { extracted: Object.fromEntries(extracted) } : {}) };
}

export const threadRoutes = [
  agentRoute({
    id: "create_thread",
    access: byBody("threads", "create"),
    method: "post",
    path: "/threads",
    tag,
    summary: "Create a thread",
    body: { schema: threadCreate, required: false },
    responses: { 200: one, 409: conflict, 422: invalid },
    handle: async ({ threads, body }) => ok(viewThread(await threads.create(body))),
  }),
  agentRoute({
    id: "list_threads",
    access: listThreads,
    method: "get",
    path: "/threads",
    tag,
    summary: "List threads, newest first",
    query: {
      limit: {
        kind: "integer",
        schema: z.int().min(1).max(1000).default(10),
        description: "The maximum number of threads to return.",
      },
      offset: { kind: "integer", schema: z.int().min(0).default(0), description: "The number of threads to skip." },
      status: { kind: "string", schema: threadStatus.optional(), description: "Only threads with this status." },
      metadata: {
        kind: "string",
        schema: z.string().optional(),
        description: "Only threads whose metadata contains this JSON object.",
      },
    },
    responses: { 200: page, 422: invalid },
    async handle({ threads, query: { limit, offset, status, metadata } }) {
      const filter = { status, metadata: metadata === undefined ? undefined : objectIn(metadata) };
      const order = { by: "created_at", direction: "desc" } as const;
      return pageOf(threads.search(filter, order, limit, offset), offset, viewThread);
    },
  }),
  agentRoute({
    id: "search_threads",
    access: byBody("threads", "search"),
    method: "post",
    path: "/threads/search",
    tag,
    summary: "Search threads",
    body: { schema: threadSearch, required: false },
    responses: { 200: { ...page, schema: z.array(thread.partial()) }, 422: invalid },
    async handle({ threads, body }) {
      const { ids, limit, offset, sort_by: by = "created_at", sort_order: direction = "desc", ...filter } = body;
      const lowerIds = ids?.length ? ids.map((id) => id.toLowerCase()) : undefined;
      const found = threads.search({ ...filter, ids: lowerIds }, { by, direction }, limit, offset);
      return pageOf(found, offset, (record) => viewFound(record, body));
    },
  }),
  agentRoute({
    id: "count_threads",
    access: byBody("threads", "search"),
    method: "post",
    path: "/threads/count",
    tag,
    summary: "Count threads",
    body: { schema: threadCount, required: false },
    responses: { 200: { description: "The number of matches.", schema: z.int() }, 422: invalid },
    handle: async ({ threads, body }) => ok(threads.count(body)),
  }),
  agentRoute({
    id: "prune_threads",
    async access({ body }, { authorize }) {
      const { thread_ids: ids, strategy } = body as { thread_ids: string[]; strategy: string };
      for (const id of ids) await authorize("threads", strategy === "delete" ? "delete" : "update", { thread_id: id });
      return undefined;
    },
    method: "post",
    path: "/threads/prune",
    tag,
    summary: "Delete threads, or all of their states but the last",
    body: { schema: threadPrune, required: true },
    responses: { 200: { description: "The number of pruned threads.", schema: threadPruneResponse }, 422: invalid },
    async handle({ threads, body: { thread_ids: ids, strategy } }) {
      let count = 0;
      for (const id of ids) if (await threads.prune(id.toLowerCase(), strategy)) count++;
      return ok({ pruned_count: count });
    },
  }),
  agentRoute({
    id: "get_thread",
    access: readThread,
    method: "get",
    path,
    tag,
    summary: "Read a thread",
    query: {
      include: {
        kind: "list",
        schema: z.array(z.string()).optional(),
        description: "`ttl` adds the time to live and the expiry.",
      },
    },
    responses: { 200: one, 404: notFound, 422: invalid },
    async handle({ threads, params, query }) {
      const view = viewThread(threads.find(params.thread_id as string));
      if (!query.include?.includes("ttl")) delete view.ttl;
      return ok(view);
    },
  }),
  agentRoute({
    id: "patch_thread",
    access: byBody("threads", "update"),
    method: "patch",
    path,
    tag,
    summary: "Merge a thread's metadata, or change its time to live",
    description: "With the header `Prefer: return=minimal` the response has no body.",
    body: { schema: threadPatch, required: true },
    responses: { 200: one, 204: { description: "Changed." }, 404: notFound, 422: invalid },
    async handle({ threads, params, body, headers }) {
      const changed = threads.patch(params.thread_id as string, body);
      return /\breturn=minimal\b/i.test(headers.get("prefer") ?? "") ? { status: 204 } : ok(viewThread(changed));
    },
  }),
  agentRoute({
    id: "delete_thread",
    access: byPath("threads", "delete"),
    method: "delete",
    path,
    tag,
    summary: "Delete a thread with its runs and its state",
    responses: { 204: { description: "The thread was deleted." }, 404: notFound, 422: invalid },
    async handle({ threads, params }) {
      await threads.delete(params.thread_id as string);
      return { status: 204 };
    },
  }),
  agentRoute({
    id: "copy_thread",
    async access({ params }, { authorize, filters }) {
      await authorize("threads", "read", { ...params });
      const { metadata } = await authorize("threads", "create", { metadata: {} });
      filters.copiedMetadata = (metadata ?? {}) as Fields;
      return undefined;
    },
    method: "post",
    path: `${path}/copy`,
    tag,
    summary: "Copy a thread with its state and history",
    responses: { 200: one, 404: notFound, 422: invalid },
    handle: async ({ threads, params }) => ok(viewThread(await threads.copy(params.thread_id as string))),
  }),
];
