import { z } from "zod";
import { agentRoute } from "../agent-route.ts";
import { conflict, invalid, notFound } from "../agent-schemas.ts";
import type { Fields } from "../engine/contract.ts";
import { ok } from "../responses.ts";
import { cancelOnDisconnect, events, joinModes } from "./join-routes.ts";
import { authorizeRun, startRun } from "./run-access.ts";
import { run, runBatchCreate, runCreateStateless } from "./run-schemas.ts";
import { viewRun } from "./run-view.ts";

const tag = "Stateless Runs";
const body = { schema: runCreateStateless, required: true };
const failures = { 404: notFound, 409: conflict, 422: invalid };
const started = ["Content-Location"];
const followed = [...started, "Location"];

export const statelessRunRoutes = [
  agentRoute({
    id: "create_stateless_run",
    access: startRun,
    method: "post",
    path: "/runs",
    tag,
    summary: "Start a run in the background that leaves nothing behind",
    body,
    responses: { 200: { description: "The run.", schema: run, headers: started }, ...failures },
    handle: ({ runResponses, body, headers }) => runResponses.start(undefined, body, headers),
  }),
  agentRoute({
    id: "stream_stateless_run",
    access: startRun,
    method: "post",
    path: "/runs/stream",
    tag,
    summary: "Start a run that leaves nothing behind, and follow its events",
    body,
    responses: { 200: { ...events, headers: followed }, ...failures },
    handle: ({ runResponses, body, headers }) => runResponses.stream(undefined, body, headers),
  }),
  agentRoute({
    id: "wait_stateless_run",
    access: startRun,
    method: "post",
    path: "/runs/wait",
    tag,
    summary: "Start a run that leaves nothing behind, and wait for what it comes to",
    body,
    responses: {
      200: { description: "The values, or `__error__`.", schema: z.unknown(), headers: followed },
      ...failures,
    },
    handle: ({ runResponses, body, headers }) => runResponses.wait(undefined, body, headers),
  }),
  agentRoute({
    id: "create_run_batch",
    async access({ body }, access) {
      const bodies: Fields[] = [];
      for (const one of body as Fields[]) bodies.push(await authorizeRun(access, undefined, one));
      return { body: bodies };
    },
    method: "post",
    path: "/runs/batch",
    tag,
    summary: "Start several runs in the background that leave nothing behind",
    body: { schema: runBatchCreate, required: true },
    responses: { 200: { description: "The runs.", schema: z.array(run) }, ...failures },
    async handle({ runs, body, headers }) {
      const started = [];
      for (const one of body) started.push(await runs.start(undefined, one, { headers }));
      return ok(started.map(({ record }) => viewRun(record)));
    },
  }),
  agentRoute({
    id: "join_stateless_run_stream",
    async access({ params }, { authorize, threadIdOf }) {
      await authorize("threads", "read", { thread_id: threadIdOf(params.run_id as string) });
      return undefined;
    },
    method: "get",
    path: "/runs/{run_id}/stream",
    tag,
    summary: "Follow the events of a run from now on",
    query: { stream_mode: joinModes, cancel_on_disconnect: cancelOnDisconnect },
    responses: { 200: { ...events, headers: ["Location"] }, 404: notFound, 422: invalid },
    async handle({ runs, runResponses, params, query, headers }) {
      return runResponses.joinStream(undefined, runs.findToJoin(undefined, params.run_id as string), {
        after: headers.get("last-event-id") ?? undefined,
        modes: query.stream_mode,
        cancelOnDisconnect: query.cancel_on_disconnect,
      });
    },
  }),
];
