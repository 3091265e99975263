import { z } from "zod";
import { agentRoute } from "../agent-route.ts";
import { invalid, notFound } from "../agent-schemas.ts";
import { streamModeSchema } from "../engine/stream-mode.ts";
import { readThread } from "../threads/thread-access.ts";
import { threadStreamModes } from "./thread-streams.ts";

const tag = "Thread Runs";
const path = "/threads/{thread_id}/runs/{run_id}";

// Without a type: tools differ in whether it is that of the text or of each event.
export const events = {
  description: "Events until the run ends.",
  schema: z.unknown(),
  mediaType: "text/event-stream",
};

export const cancelOnDisconnect = {
  kind: "boolean",
  schema: z.boolean().default(false),
  description: "Whether to cancel the run when the client goes away.",
} as const;

export const joinModes = {
  kind: "list",
  schema: z.array(streamModeSchema).optional(),
  description: "Only events of these stream modes, out of those that the run was started with.",
} as const;

export const joinRoutes = [
  agentRoute({
    id: "join_run",
    access: readThread,
    method: "get",
    path: `${path}/join`,
    tag,
    summary: "Wait for what a run comes to",
    query: { cancel_on_disconnect: cancelOnDisconnect },
    responses: {
      200: {
        description: "The values, or `__interrupt__`, or `__error__`.",
        schema: z.unknown(),
        headers: ["Location"],
      },
      404: notFound,
      422: invalid,
    },
    handle: ({ runs, runResponses, params, query }) =>
      runResponses.join(runs.findToJoin(params.thread_id, params.run_id as string), query.cancel_on_disconnect),
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
    responses: { 200: { ...events, headers: ["Location"] }, 404: notFound, 422: invalid },
    async handle({ runs, runResponses, params, query, headers }) {
      const run = runs.findToJoin(params.thread_id, params.run_id as string);
      return runResponses.joinStream(params.thread_id, run, {
        after: headers.get("last-event-id") ?? undefined,
        modes: query.stream_mode,
        cancelOnDisconnect: query.cancel_on_disconnect,
      });
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
    handle: ({ runResponses, params, query, headers }) =>
      runResponses.threadStream(params.thread_id as string, {
        after: headers.get("last-event-id") ?? undefined,
        modes: query.stream_modes ?? query.stream_mode ?? ["run_modes"],
      }),
  }),
];
