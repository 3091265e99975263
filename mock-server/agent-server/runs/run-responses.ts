import type { HttpResponse } from "../../kit/http/http-response.ts";
import type { AgentHost } from "../agent-host.ts";
import type { RunRecord } from "../persistence/records.ts";
import { eventStream, ok } from "../responses.ts";
import type { LiveRun, RunResult } from "./live-run.ts";
import type { RunStart } from "./run-schemas.ts";
import { viewRun } from "./run-view.ts";

/** Where a run is found; `threadId` is absent for one without a thread of its own. */
export function runPath(threadId: string | undefined, runId: string): string {
  return threadId === undefined ? `/runs/${runId}` : `/threads/${threadId}/runs/${runId}`;
}

/** Starts a run and answers with it. */
export async function runResponse(host: AgentHost, threadId: string | undefined, body: RunStart, headers: Headers) {
  const { record } = await host.runs.start(threadId, body, { headers, as: host });
  return ok(viewRun(record), { "content-location": runPath(threadId, record.run_id) });
}

/** Starts a run and answers with its events. */
export async function streamResponse(host: AgentHost, threadId: string | undefined, body: RunStart, headers: Headers) {
  let stream: ReadableStream<Uint8Array> | undefined;
  const { record } = await host.runs.start(threadId, body, {
    headers,
    as: host,
    beforeStart(live) {
      stream = live.log.read({
        heartbeatMs: host.settings.heartbeatMs,
        ...(body.stream_resumable ? { after: "-" } : {}),
        onLeave: () => {
          if (body.on_disconnect === "cancel") cancelInBackground(host, live.runId);
        },
      });
    },
  });
  const path = runPath(threadId, record.run_id);
  return eventStream(stream as ReadableStream<Uint8Array>, { "content-location": path, location: `${path}/stream` });
}

/** Starts a run and answers with what it comes to. */
export async function waitResponse(host: AgentHost, threadId: string | undefined, body: RunStart, headers: Headers) {
  const { record, live } = await host.runs.start(threadId, body, { headers, as: host });
  return resultResponse(host, live, body.on_disconnect === "cancel", {
    "content-location": runPath(threadId, record.run_id),
  });
}

export function cancelInBackground(host: AgentHost, runId: string): void {
  host.inBackground(async () => void (await host.runs.cancel(runId, "interrupt")));
}

const encoder = new TextEncoder();

/** Milliseconds that a run may take to be answered in one piece, which costs half of what an answer in parts does. */
const promptly = 10;

/** The result of a run, as JSON. Of one that takes longer, the status is sent before, and then blank lines that keep the connection open. */
async function resultResponse(
  host: AgentHost,
  live: LiveRun,
  cancelOnLeave: boolean,
  headers: Record<string, string> = {},
): Promise<HttpResponse> {
  const early = await resultWithin(live, promptly);
  if (early) return ok(viewResult(host, live.threadId, early), headers);
  let keepAlive: NodeJS.Timeout | undefined;
  let hasLeft = false;
  const content = new ReadableStream<Uint8Array>({
    start(controller) {
      keepAlive = setInterval(() => controller.enqueue(encoder.encode("\n")), host.settings.heartbeatMs);
      keepAlive.unref();
      host.inBackground(async () => {
        const result = await live.done;
        clearInterval(keepAlive);
        if (hasLeft) return;
        controller.enqueue(encoder.encode(JSON.stringify(viewResult(host, live.threadId, result))));
        controller.close();
      });
    },
    cancel() {
      clearInterval(keepAlive);
      hasLeft = true;
      if (cancelOnLeave) cancelInBackground(host, live.runId);
    },
  });
  return { status: 200, content, headers: { "content-type": "application/json", ...headers } };
}

function resultWithin({ done }: LiveRun, milliseconds: number): Promise<RunResult | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), milliseconds);
    void done.then((result) => {
      clearTimeout(timer);
      resolve(result);
    });
  });
}

function viewResult(host: AgentHost, threadId: string, result: RunResult): object {
  if (result.kind === "error") return { __error__: result.error };
  if (result.kind === "cancelled") return host.state.threads.get(threadId)?.values ?? {};
  return result.interrupts ? { __interrupt__: result.interrupts } : result.values;
}

/** The result of a run that may have ended before. */
export async function joinResponse(host: AgentHost, record: RunRecord, cancelOnLeave: boolean) {
  const live = host.runs.live(record.run_id);
  if (live) return resultResponse(host, live, cancelOnLeave);
  return ok(host.state.threads.get(record.thread_id)?.values ?? {});
}

/** The events of a run that may have ended before. */
export function joinStreamResponse(
  host: AgentHost,
  record: RunRecord,
  path: string,
  options: { after?: string | undefined; modes?: readonly string[] | undefined; cancelOnLeave: boolean },
): HttpResponse {
  const stream = host.runs.logOf(record.run_id).read({
    after: options.after,
    modes: options.modes,
    heartbeatMs: host.settings.heartbeatMs,
    onLeave: () => {
      if (options.cancelOnLeave) cancelInBackground(host, record.run_id);
    },
  });
  return eventStream(stream, { location: `${path}/stream` });
}
