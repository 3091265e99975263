import { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import { agentRoute } from "../agent-route.ts";
import { conflict, invalid, notFound } from "../agent-schemas.ts";
import { byPath } from "../auth/access-rule.ts";
import type { Fields } from "../engine/contract.ts";
import { streamModes } from "../engine/stream-mode.ts";
import { selected } from "../paging.ts";
import { eventStream, ok } from "../responses.ts";
import { readThread, updateThread } from "../threads/thread-access.ts";
import { findThread } from "../threads/thread-model.ts";
import { startRun } from "./run-access.ts";
import {
  joinResponse,
  joinStreamResponse,
  runPath,
  runResponse,
  streamResponse,
  waitResponse,
} from "./run-responses.ts";
import { run, runCreateStateful, runStatus, runsCancel } from "./run-schemas.ts";
import { findRun, viewRun } from "./run-view.ts";
import { threadStreamModes } from "./thread-streams.ts";

const tag = "Thread Runs";
const runsPath = "/threads/{thread_id}/runs";
const path = `${runsPath}/{run_id}`;
// Without a type: tools differ in whether it is that of the text or of each event.
const events = { description: "Events until the run ends.", schema: z.unknown(), mediaType: "text/event-stream" };
const started = ["Content-Location"];
const body = { schema: runCreateStateful, required: true };
const failures = { 404: notFound, 409: conflict, 422: invalid };

export const cancelOnDisconnect = {
  kind: "boolean",
  schema: z.boolean().default(false),
  description: "Whether to cancel the run when the client goes away.",
} as const;

export const joinModes = {
  kind: "list",
  schema: z.array(z.enum(streamModes)).optional(),
  description: "Only events of these stream modes, out of those that the run was started with.",
} as const;

const action = {
  kind: "string",
  schema: z.enum(["interrupt", "rollback"]).default("interrupt"),
  description: "Whether what it did stays, or is undone and the run deleted.",
} as const;

export const runRoutes = [
  agentRoute({
    id: "list_runs",
    access: readThread,
    method: "get",
    path: runsPath,
    tag,
    summary: "List the runs of a thread, the newest first",
    query: {
      limit: {
        kind: "integer",
        schema: z.int().min(1).max(1000).default(10),
        description: "How many runs to return at most.",
      },
      offset: { kind: "integer", schema: z.int().min(0).default(0), description: "How many to leave out before them." },
      status: { kind: "string", schema: runStatus.optional(), description: "Only those with this status." },
      select: {
        kind: "list",
        schema: z
          .array(
            z.enum([
              "run_id",
              "thread_id",
              "assistant_id",
              "created_at",
              "updated_at",
              "status",
              "metadata",
              "kwargs",
              "multitask_strategy",
            ]),
          )
          .optional(),
        description: "Which fields to return.",
      },
    },
    responses: { 200: { description: "One page of runs.", schema: z.array(run) }, 404: notFound, 422: invalid },
    async handle({ host, params, query: { limit, offset, status, select } }) {
      const { thread_id: threadId } = findThread(host, params.thread_id as string);
      const page = host.state.runs.ofThread(threadId, status, limit, offset);
      return ok(page.map((record) => selected(viewRun(record), select)));
    },
  }),
  agentRoute({
    id: "create_run",
    access: startRun,
    method: "post",
    path: runsPath,
    tag,
    summary: "Start a run in the background",
    body,
    responses: { 200: { description: "The run.", schema: run, headers: started }, ...failures },
    handle: ({ host, params, body, headers }) => runResponse(host, params.thread_id, body, headers),
  }),
  agentRoute({
    id: "stream_run",
    access: startRun,
    method: "post",
    path: `${runsPath}/stream`,
    tag,
    summary: "Start a run and follow its events",
    body,
    responses: { 200: { ...events, headers: started }, ...failures },
    handle: ({ host, params, body, headers }) => streamResponse(host, params.thread_id, body, headers),
  }),
  agentRoute({
    id: "wait_run",
    access: startRun,
    method: "post",
    path: `${runsPath}/wait`,
    tag,
    summary: "Start a run and wait for what it comes to",
    body,
    responses: {
      200: { description: "The values, or `__interrupt__`, or `__error__`.", schema: z.unknown(), headers: started },
      ...failures,
    },
    handle: ({ host, params, body, headers }) => waitResponse(host, params.thread_id, body, headers),
  }),
  agentRoute({
    id: "get_run",
    access: readThread,
    method: "get",
    path,
    tag,
    summary: "Read a run",
    responses: { 200: { description: "The run.", schema: run }, 404: notFound, 422: invalid },
    handle: async ({ host, params }) => ok(viewRun(findRun(host, params.thread_id, params.run_id as string))),
  }),
  agentRoute({
    id: "delete_run",
    access: byPath("threads", "delete"),
    method: "delete",
    path,
    tag,
    summary: "Delete a run, which is cancelled first if it hasn't ended",
    responses: { 204: { description: "It is gone." }, 404: notFound, 422: invalid },
    async handle({ host, params }) {
      const { run_id: runId } = findRun(host, params.thread_id, params.run_id as string);
      await host.runs.cancel(runId, "interrupt");
      host.state.runs.remove(runId);
      return { status: 204 };
    },
  }),
  agentRoute({
    id: "join_run",
    access: readThread,
    method: "get",
    path: `${path}/join`,
    tag,
    summary: "Wait for what a run comes to",
    query: { cancel_on_disconnect: cancelOnDisconnect },
    responses: {
      200: { description: "The values, or `__interrupt__`, or `__error__`.", schema: z.unknown() },
      404: notFound,
      422: invalid,
    },
    async handle({ host, params, query }) {
      const record = findRun(host, params.thread_id, params.run_id as string);
      return joinResponse(host, record, query.cancel_on_disconnect);
    },
  }),
  agentRoute({
    id: "join_run_stream",
    access: readThread,
    method: "get",
    path: `${path}/stream`,
    tag,
    summary: "Follow the events of a run from now on",
    description:
      "With the header `Last-Event-ID`, a resumable run also replays what came after that event; `-` stands for the beginning.",
    query: { stream_mode: joinModes, cancel_on_disconnect: cancelOnDisconnect },
    responses: { 200: events, 404: notFound, 422: invalid },
    async handle({ host, params, query, headers }) {
      const record = findRun(host, params.thread_id, params.run_id as string);
      return joinStreamResponse(host, record, runPath(record.thread_id, record.run_id), {
        after: headers.get("last-event-id") ?? undefined,
        modes: query.stream_mode,
        cancelOnLeave: query.cancel_on_disconnect,
      });
    },
  }),
  agentRoute({
    id: "cancel_run",
    access: updateThread,
    method: "post",
    path: `${path}/cancel`,
    tag,
    summary: "Cancel a run",
    query: {
      wait: {
        kind: "boolean",
        schema: z.boolean().default(false),
        description: "Whether to answer only once it has ended.",
      },
      action,
    },
    responses: {
      202: { description: "It is being cancelled." },
      204: { description: "It has ended." },
      404: notFound,
      422: invalid,
    },
    async handle({ host, params, query: { wait, action } }) {
      const { run_id: runId } = findRun(host, params.thread_id, params.run_id as string);
      const ended = host.runs.cancel(runId, action);
      if (!wait) {
        host.inBackground(async () => void (await ended));
        return { status: 202 };
      }
      await ended;
      return { status: 204 };
    },
  }),
  agentRoute({
    id: "cancel_runs",
    async access({ query, body }, { ask }) {
      const { thread_id: threadId = null } = body as Fields;
      await ask("threads", "update", { thread_id: threadId, action: query.action });
      return undefined;
    },
    method: "post",
    path: "/runs/cancel",
    tag,
    summary: "Cancel several runs",
    description: "Either those with a `status`, or the `run_ids` of a `thread_id`.",
    query: { action },
    body: { schema: runsCancel, required: true },
    responses: { 204: { description: "They have ended." }, 404: notFound, 422: invalid },
    async handle({ host, query, body: { status, thread_id: threadId, run_ids: runIds } }) {
      if ((status === undefined) === (threadId === undefined || runIds === undefined)) {
        throw new HttpError(422, "body: give either status, or thread_id and run_ids.");
      }
      const chosen = runIds
        ? runIds.map((id) => findRun(host, threadId?.toLowerCase(), id.toLowerCase()).run_id)
        : host.state.runs.ids(status === "all" || status === undefined ? ["pending", "running"] : [status]);
      await Promise.all(chosen.map((runId) => host.runs.cancel(runId, query.action)));
      return { status: 204 };
    },
  }),
  agentRoute({
    id: "join_thread_stream",
    access: readThread,
    method: "get",
    path: "/threads/{thread_id}/stream",
    tag: "Threads",
    summary: "Follow the events of all runs of a thread, until the client goes away",
    description:
      "With the header `Last-Event-ID`, what came after that event is replayed, as far as it came after the first reader; `-` stands for the beginning.",
    query: {
      stream_modes: {
        kind: "list",
        schema: z.array(z.enum(threadStreamModes)).optional(),
        description:
          "`run_modes` (the default): all that runs tell; `lifecycle`: their starts and ends; `state_update`: the state after each.",
      },
      stream_mode: {
        kind: "list",
        schema: z.array(z.enum(threadStreamModes)).optional(),
        description: "Another name of stream_modes.",
      },
    },
    responses: { 200: { ...events, description: "Events of all runs." }, 404: notFound, 422: invalid },
    async handle({ host, params, query, headers }) {
      const { thread_id: threadId } = findThread(host, params.thread_id as string);
      const stream = host.runs.threadStreams.read(threadId, {
        after: headers.get("last-event-id") ?? undefined,
        modes: query.stream_modes ?? query.stream_mode ?? ["run_modes"],
        heartbeatMs: host.settings.heartbeatMs,
      });
      return eventStream(stream, {});
    },
  }),
];
