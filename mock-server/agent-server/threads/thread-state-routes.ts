import { z } from "zod";
import { agentRoute } from "../agent-route.ts";
import { conflict, invalid, notFound } from "../agent-schemas.ts";
import { ok } from "../responses.ts";
import { project } from "./extract.ts";
import { readThread, updateThread } from "./thread-access.ts";
import {
  historySearch,
  stateAtCheckpoint,
  threadState,
  threadStatePatch,
  threadStateUpdate,
  threadStateUpdateResponse,
} from "./thread-schemas.ts";

const tag = "Threads";
const path = "/threads/{thread_id}";
const one = { description: "The state.", schema: threadState };
/** All fields are optional: `select` may drop any of them. */
const selected = threadState.partial();
const many = { description: "States, newest first.", schema: z.array(threadState) };

const subgraphs = {
  kind: "boolean",
  schema: z.boolean().optional(),
  description: "Whether to include the states of unfinished subgraphs.",
} as const;
const select = {
  kind: "list",
  schema: z.array(z.string()).optional(),
  description: "Paths to return, for example `values.messages`.",
} as const;

export const threadStateRoutes = [
  agentRoute({
    id: "get_thread_state",
    access: readThread,
    method: "get",
    path: `${path}/state`,
    tag,
    summary: "Read the state of a thread",
    query: { subgraphs, select },
    responses: { 200: { ...one, schema: selected }, 404: notFound, 422: invalid },
    async handle({ threadStates, params, query }) {
      const state = await threadStates.read(params.thread_id as string, {}, { subgraphs: query.subgraphs });
      return ok(query.select?.length ? project({ ...state }, query.select) : state);
    },
  }),
  agentRoute({
    id: "update_thread_state",
    access: updateThread,
    method: "post",
    path: `${path}/state`,
    tag,
    summary: "Update the state of a thread, as if a node had returned the values",
    body: { schema: threadStateUpdate, required: true },
    responses: {
      200: { description: "The new checkpoint.", schema: threadStateUpdateResponse },
      404: notFound,
      409: conflict,
      422: invalid,
    },
    async handle({ stateUpdates, params, body }) {
      const reference = await stateUpdates.update(params.thread_id as string, body);
      return ok({ checkpoint: reference, configurable: reference });
    },
  }),
  agentRoute({
    id: "patch_thread_state",
    access: updateThread,
    method: "patch",
    path: `${path}/state`,
    tag,
    summary: "Merge metadata into that of the current checkpoint",
    body: { schema: threadStatePatch, required: true },
    responses: { 204: { description: "Changed." }, 404: notFound, 422: invalid },
    async handle({ stateUpdates, params, body }) {
      stateUpdates.mergeMetadata(params.thread_id as string, body.metadata);
      return { status: 204 };
    },
  }),
  agentRoute({
    id: "get_thread_state_at_checkpoint",
    access: readThread,
    method: "get",
    path: `${path}/state/{checkpoint_id}`,
    tag,
    summary: "Read the state of a thread at a checkpoint",
    query: { subgraphs },
    responses: { 200: one, 404: notFound, 422: invalid },
    handle: async ({ threadStates, params: { thread_id: id, checkpoint_id }, query }) =>
      ok(await threadStates.read(id as string, { checkpoint_id }, { subgraphs: query.subgraphs })),
  }),
  agentRoute({
    id: "post_thread_state_at_checkpoint",
    access: readThread,
    method: "post",
    path: `${path}/state/checkpoint`,
    tag,
    summary: "Read the state of a thread, or of a subgraph, at a checkpoint",
    body: { schema: stateAtCheckpoint, required: true },
    responses: { 200: one, 404: notFound, 422: invalid },
    handle: async ({ threadStates, params, body }) =>
      ok(await threadStates.read(params.thread_id as string, body.checkpoint, { subgraphs: body.subgraphs ?? false })),
  }),
  agentRoute({
    id: "get_thread_history",
    access: readThread,
    method: "get",
    path: `${path}/history`,
    tag,
    summary: "Read the history of a thread",
    query: {
      limit: {
        kind: "integer",
        schema: z.int().min(1).max(1000).default(10),
        description: "The maximum number of states to return.",
      },
      before: { kind: "string", schema: z.string().optional(), description: "Only states before this checkpoint." },
    },
    responses: { 200: many, 404: notFound, 422: invalid },
    handle: async ({ threadStates, params, query }) =>
      ok(await threadStates.history(params.thread_id as string, query)),
  }),
  agentRoute({
    id: "post_thread_history",
    access: readThread,
    method: "post",
    path: `${path}/history`,
    tag,
    summary: "Search the history of a thread",
    body: { schema: historySearch, required: false },
    responses: { 200: { ...many, schema: z.array(selected) }, 404: notFound, 422: invalid },
    async handle({ threadStates, params, body: { select: paths, ...search } }) {
      const states = await threadStates.history(params.thread_id as string, search);
      return ok(paths?.length ? states.map((state) => project({ ...state }, paths)) : states);
    },
  }),
];
