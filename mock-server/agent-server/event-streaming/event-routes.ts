import type { WebSocket } from "ws";
import { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import { parseJson, TooDeepError } from "../../kit/http/json.ts";
import type { RequestContext } from "../../kit/http/request-context.ts";
import { agentRoute } from "../agent-route.ts";
import { errorResponse, invalid, notFound } from "../agent-schemas.ts";
import { needsUserOnly } from "../auth/access-rule.ts";
import { refuseOtherSites } from "../other-sites.ts";
import type { ProtocolHost } from "../protocol-host.ts";
import { endlessStream, ok } from "../responses.ts";
import { events } from "../runs/join-routes.ts";
import { readThread } from "../threads/thread-access.ts";
import { commandFailure, commandSchema, commandSuccess } from "./command-schemas.ts";
import { commandIn, execute, problems, refusal } from "./commands.ts";
import type { EventStreaming } from "./event-streaming.ts";
import { isWebSocket } from "./refused-socket.ts";
import { SocketConnection } from "./socket-connection.ts";
import { subscriptionSchema } from "./subscription.ts";

const tag = "Streaming";

export const eventRoutes = [
  agentRoute({
    id: "protocol_command",
    access: needsUserOnly,
    method: "post",
    path: "/threads/{thread_id}/commands",
    tag,
    summary: "Send a command of the streaming protocol to a thread",
    description:
      "Starts runs (`run.start`, `input.respond`, `state.fork`) and reads (`state.get`, `state.listCheckpoints`, `agent.getTree`). The events of the runs are those of `/threads/{thread_id}/stream/events`.",
    body: { schema: commandSchema, required: true, isRaw: true },
    responses: {
      200: { description: "The result, or why there is none.", schema: z.union([commandSuccess, commandFailure]) },
      400: {
        description: "The body isn't a command, or isn't UTF-8.",
        schema: commandFailure,
      },
      422: invalid,
    },
    async handle({ host, params, eventStreaming }) {
      const read = await receivedCommand(host.context);
      if ("type" in read) return { status: 400, body: read };
      return ok(await execute(host, params.thread_id as string, read, { events: eventStreaming.events }));
    },
  }),
  agentRoute({
    id: "protocol_socket",
    access: readThread,
    method: "get",
    path: "/threads/{thread_id}/stream/events",
    tag,
    summary: "Open a WebSocket for commands and events of a thread",
    description:
      "Each message is a command, or a response or event. `subscription.subscribe` and `subscription.unsubscribe` choose the events. A refused WebSocket is closed with the code 4000 and the status that a response would have.",
    responses: {
      101: { description: "The WebSocket is open, or closed again with the reason." },
      404: notFound,
      422: invalid,
      426: { description: "The request isn't that of a WebSocket.", schema: errorResponse },
    },
    async handle({ host, params, eventStreaming }) {
      const threadId = params.thread_id as string;
      if (!isWebSocket(host.context)) {
        throw new HttpError(426, "This path is for WebSockets, or POST.", { upgrade: "websocket" });
      }
      refuseOtherSites(host, "open WebSockets");
      eventStreaming.readers.checkVisible(threadId);
      return { status: 101, accept: (socket) => serve(socket, host, eventStreaming, threadId) };
    },
  }),
  agentRoute({
    id: "protocol_events",
    access: readThread,
    method: "post",
    path: "/threads/{thread_id}/stream/events",
    tag,
    summary: "Stream the events of a thread until the client disconnects",
    description:
      "Those of the runs that commands have started, on the chosen channels. Earlier events come first. The thread needn't exist yet. `id` is the number of the event; a client that reconnects sends the last one as `since`.",
    body: { schema: subscriptionSchema, required: true, isRaw: true },
    responses: {
      200: { ...events, description: "Events of the thread." },
      400: { description: "The body is invalid.", schema: errorResponse },
      404: notFound,
      422: invalid,
    },
    async handle({ host, params, eventStreaming }) {
      const body = bodyOf(await host.context.readText());
      const subscription = subscriptionSchema.safeParse(body);
      if (!subscription.success) throw new HttpError(400, problems(subscription.error, body, ["body"]));
      return endlessStream(eventStreaming.readers.stream(params.thread_id as string, subscription.data));
    },
  }),
];

/** Serves a socket, unless the thread has come to belong to somebody else since it was requested. */
function serve(socket: WebSocket, ...given: [ProtocolHost, EventStreaming, string]): void {
  try {
    new SocketConnection(socket, ...given);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    socket.close(4000 + error.status, error.message);
  }
}

/** The command in the body of a request, or the response to one that isn't a command. */
async function receivedCommand(context: RequestContext): Promise<ReturnType<typeof commandIn>> {
  try {
    return commandIn(await context.readText());
  } catch (error) {
    if (error instanceof HttpError && error.status === 400) return refusal(null, "invalid_argument", error.message);
    throw error;
  }
}

/** @throws {HttpError} 400 for a text that isn't JSON. */
function bodyOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new HttpError(400, error instanceof TooDeepError ? error.message : "The body is not valid JSON.");
  }
}
