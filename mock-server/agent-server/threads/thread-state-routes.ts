import { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import { agentRoute } from "../agent-route.ts";
import { conflict, invalid, notFound } from "../agent-schemas.ts";
import type { Fields, StateSnapshot } from "../engine/contract.ts";
import { ok } from "../responses.ts";
import { project } from "./extract.ts";
import { updateState } from "./state-update.ts";
import { readThread, updateThread } from "./thread-access.ts";
import { findThread } from "./thread-model.ts";
import {
  historySearch,
  stateAtCheckpoint,
  threadState,
  threadStatePatch,
  threadStateUpdate,
  threadStateUpdateResponse,
} from "./thread-schemas.ts";
import { type CheckpointChoice, findCheckpoint, graphOfThread, stateOf, statesAt } from "./thread-state.ts";

const tag = "Threads";
const path = "/threads/{thread_id}";
const one = { description: "The state.", schema: threadState };
const many = { description: "States, the newest first.", schema: z.array(threadState) };

const subgraphs = {
  kind: "boolean",
  schema: z.boolean().optional(),
  description: "Whether to include the states of subgraphs that are under way.",
} as const;
const select = {
  kind: "list",
  schema: z.array(z.string()).optional(),
  description: "Paths of what to return, for example `values.messages`.",
} as const;

async function stateAt(
  host: AgentHost,
  threadId: string,
  checkpoint: CheckpointChoice,
  withSubgraphs: boolean | undefined,
): Promise<StateSnapshot> {
  return stateOf(host, findThread(host, threadId), checkpoint, withSubgraphs ?? false);
}

async function history(
  host: AgentHost,
  threadId: string,
  { limit, before, metadata, checkpoint, select: paths }: z.output<typeof historySearch>,
): Promise<object[]> {
  const thread = findThread(host, threadId);
  const graph = graphOfThread(host, thread);
  if (!graph) return [];
  const reference = typeof before === "object" && "configurable" in before ? before.configurable : before;
  const beforeId = typeof reference === "string" ? reference : (reference as Fields | undefined)?.checkpoint_id;
  const filter = {
    namespace: checkpoint?.checkpoint_ns ?? "",
    id: checkpoint?.checkpoint_id,
    before: typeof beforeId === "string" ? beforeId : undefined,
    metadata,
  };
  const found = host.state.checkpoints.search(threadId, graph.engine, filter, limit);
  const states = await statesAt(host, thread, graph, found, false);
  return paths ? states.map((state) => project({ ...state }, paths)) : states;
}

export const threadStateRoutes = [
  agentRoute({
    id: "get_thread_state",
    access: readThread,
    method: "get",
    path: `${path}/state`,
    tag,
    summary: "Read the state of a thread",
    query: { subgraphs, select },
    responses: { 200: one, 404: notFound, 422: invalid },
    async handle({ host, params, query }) {
      const state = await stateAt(host, params.thread_id as string, {}, query.subgraphs);
      return ok(query.select ? project({ ...state }, query.select) : state);
    },
  }),
  agentRoute({
    id: "update_thread_state",
    access: updateThread,
    method: "post",
    path: `${path}/state`,
    tag,
    summary: "Change the state of a thread, as if a node had done it",
    body: { schema: threadStateUpdate, required: true },
    responses: {
      200: { description: "The checkpoint that this made.", schema: threadStateUpdateResponse },
      404: notFound,
      409: conflict,
      422: invalid,
    },
    async handle({ host, params, body }) {
      const reference = await updateState(host, params.thread_id as string, body);
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
    async handle({ host, params, body }) {
      const threadId = params.thread_id as string;
      const graph = graphOfThread(host, findThread(host, threadId));
      const latest = findCheckpoint(host, threadId, graph?.engine, {});
      if (!latest) throw new HttpError(422, `Thread ${threadId} has no state yet.`);
      host.state.checkpoints.setMetadata(threadId, latest, { ...latest.metadata, ...body.metadata });
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
    handle: async ({ host, params, query }) =>
      ok(await stateAt(host, params.thread_id as string, { checkpoint_id: params.checkpoint_id }, query.subgraphs)),
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
    handle: async ({ host, params, body }) =>
      ok(await stateAt(host, params.thread_id as string, body.checkpoint, body.subgraphs)),
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
        description: "How many states to return at most.",
      },
      before: { kind: "string", schema: z.string().optional(), description: "Only states before this checkpoint." },
    },
    responses: { 200: many, 404: notFound, 422: invalid },
    handle: async ({ host, params, query }) => ok(await history(host, params.thread_id as string, query)),
  }),
  agentRoute({
    id: "post_thread_history",
    access: readThread,
    method: "post",
    path: `${path}/history`,
    tag,
    summary: "Search the history of a thread",
    body: { schema: historySearch, required: false },
    responses: { 200: many, 404: notFound, 422: invalid },
    handle: async ({ host, params, body }) => ok(await history(host, params.thread_id as string, body)),
  }),
];
