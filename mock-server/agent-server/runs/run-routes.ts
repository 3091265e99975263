import { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import { agentRoute } from "../agent-route.ts";
import { conflict, invalid, notFound } from "../agent-schemas.ts";
import { byPath } from "../auth/access-rule.ts";
import type { Fields } from "../engine/contract.ts";
import { selected } from "../paging.ts";
import { ok } from "../responses.ts";
import { readThread, updateThread } from "../threads/thread-access.ts";
import { events } from "./join-routes.ts";
import { startRun } from "./run-access.ts";
import { run, runCreateStateful, runStatus, runsCancel } from "./run-schemas.ts";
import { viewRun } from "./run-view.ts";

const tag = "Thread Runs";
const runsPath = "/threads/{thread_id}/runs";
const path = `${runsPath}/{run_id}`;
const started = ["Content-Location"];
const followed = [...started, "Location"];
const body = { schema: runCreateStateful, required: true };
const failures = { 404: notFound, 409: conflict, 422: invalid };

const action = {
  kind: "string",
  schema: z.enum(["interrupt", "rollback"]).default("interrupt"),
  description: "`interrupt` keeps what the run did; `rollback` undoes it and deletes the run.",
} as const;

export const runRoutes = [
  agentRoute({
    id: "list_runs",
    access: readThread,
    method: "get",
    path: runsPath,
    tag,
    summary: "List the runs of a thread, newest first",
    query: {
      limit: {
        kind: "integer",
        schema: z.int().min(1).max(1000).default(10),
        description: "The maximum number of runs to return.",
      },
      offset: { kind: "integer", schema: z.int().min(0).default(0), description: "The number of runs to skip." },
      status: { kind: "string", schema: runStatus.optional(), description: "Only runs with this status." },
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
        description: "The fields to return.",
      },
    },
    responses: {
      200: { description: "One page of runs.", schema: z.array(run.partial()) },
      404: notFound,
      422: invalid,
    },
    async handle({ runs, params, query: { limit, offset, status, select } }) {
      const page = runs.ofThread(params.thread_id as string, status, limit, offset);
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
    handle: ({ runResponses, params, body, headers }) => runResponses.start(params.thread_id, body, headers),
  }),
  agentRoute({
    id: "stream_run",
    access: startRun,
    method: "post",
    path: `${runsPath}/stream`,
    tag,
    summary: "Start a run and stream its events",
    body,
    responses: { 200: { ...events, headers: followed }, ...failures },
    handle: ({ runResponses, params, body, headers }) => runResponses.stream(params.thread_id, body, headers),
  }),
  agentRoute({
    id: "wait_run",
    access: startRun,
    method: "post",
    path: `${runsPath}/wait`,
    tag,
    summary: "Start a run and wait for its result",
    body,
    responses: {
      200: { description: "The values, or `__interrupt__`, or `__error__`.", schema: z.unknown(), headers: followed },
      ...failures,
    },
    handle: ({ runResponses, params, body, headers }) => runResponses.wait(params.thread_id, body, headers),
  }),
  agentRoute({
    id: "get_run",
    access: readThread,
    method: "get",
    path,
    tag,
    summary: "Read a run",
    responses: { 200: { description: "The run.", schema: run }, 404: notFound, 422: invalid },
    handle: async ({ runs, params }) => ok(viewRun(runs.find(params.thread_id, params.run_id as string))),
  }),
  agentRoute({
    id: "delete_run",
    access: byPath("threads", "delete"),
    method: "delete",
    path,
    tag,
    summary: "Delete a run, cancelling it first if it hasn't ended",
    responses: { 204: { description: "The run was deleted." }, 404: notFound, 422: invalid },
    async handle({ runs, params }) {
      await runs.delete(params.thread_id as string, params.run_id as string);
      return { status: 204 };
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
        description: "Whether to wait until the run has ended.",
      },
      action,
    },
    responses: {
      202: { description: "The run is being cancelled." },
      204: { description: "The run has ended.", headers: ["Location"] },
      404: notFound,
      422: invalid,
    },
    handle: ({ runResponses, params, query: { wait, action } }) =>
      runResponses.cancel(params.thread_id as string, params.run_id as string, action, wait),
  }),
  agentRoute({
    id: "cancel_runs",
    async access({ query, body }, { authorize }) {
      const { thread_id: threadId = null } = body as Fields;
      await authorize("threads", "update", { thread_id: threadId, action: query.action });
      return undefined;
    },
    method: "post",
    path: "/runs/cancel",
    tag,
    summary: "Cancel several runs",
    description: "Either those with a `status`, or the `run_ids` of a `thread_id`.",
    query: { action },
    body: { schema: runsCancel, required: true, refusesNulls: true },
    responses: { 204: { description: "The runs have ended." }, 404: notFound, 422: invalid },
    async handle({ runs, query, body: { status, thread_id: threadId, run_ids: runIds } }) {
      if ((status === undefined) === (threadId === undefined || runIds === undefined)) {
        throw new HttpError(422, "body: give either status, or thread_id and run_ids.");
      }
      const chosen = runIds
        ? runIds.map((id) => runs.find(threadId?.toLowerCase(), id.toLowerCase()).run_id)
        : runs.ids(status === "all" || status === undefined ? ["pending", "running"] : [status]);
      await runs.cancel(chosen, query.action);
      return { status: 204 };
    },
  }),
];
