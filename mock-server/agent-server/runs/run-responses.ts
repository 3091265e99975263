import { setTimeout as delay } from "node:timers/promises";
import type { ReadOptions } from "../../kit/event-log.ts";
import type { HttpResponse } from "../../kit/http/http-response.ts";
import type { AgentRuntime, AgentSettings } from "../agent-runtime.ts";
import { endlessStream, eventStream, ok } from "../responses.ts";
import type { ThreadRecords } from "../threads/thread-records.ts";
import type { CancelAction, LiveRun, RunResult } from "./live-run.ts";
import type { LiveRuns } from "./live-runs.ts";
import type { RunStart } from "./run-schemas.ts";
import { type JoinedRun, resultBody, viewRun } from "./run-view.ts";
import type { Runs } from "./runs.ts";

/**
 * Milliseconds within which a run must end for its result to be sent in one piece, which costs half of a chunked
 * response.
 */
const promptMs = 10;

const encoder = new TextEncoder();

interface RunResponsesDependencies extends Pick<AgentRuntime, "inBackground"> {
  settings: Pick<AgentSettings, "heartbeatMs">;
  runs: Runs;
  records: ThreadRecords;
  live: LiveRuns;
}

/** How to read a stream of events, and whether to cancel the run when the reader disconnects. */
interface JoinOptions extends Pick<ReadOptions, "after" | "modes"> {
  cancelOnDisconnect: boolean;
}

/** The responses of routes that start, join and cancel runs. `threadId` is absent for stateless runs. */
export class RunResponses {
  readonly #dependencies: RunResponsesDependencies;

  constructor(dependencies: RunResponsesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Starts a run and responds with the run. */
  async start(threadId: string | undefined, body: RunStart, headers: Headers): Promise<HttpResponse> {
    const { record } = await this.#dependencies.runs.start(threadId, body, { headers });
    return ok(viewRun(record), { "content-location": runPath(threadId, record) });
  }

  /** Starts a run and responds with its events. */
  async stream(threadId: string | undefined, body: RunStart, headers: Headers): Promise<HttpResponse> {
    const { runs } = this.#dependencies;
    let stream: ReadableStream<Uint8Array> | undefined;
    const { record } = await runs.start(threadId, body, {
      headers,
      isAwaited: true,
      beforeStart: (live) => {
        const after = body.stream_resumable ? "-" : undefined;
        stream = this.#events(live, live.runId, { after, cancelOnDisconnect: body.on_disconnect === "cancel" });
      },
    });
    const path = runPath(threadId, record);
    return eventStream(stream as ReadableStream<Uint8Array>, { "content-location": path, location: `${path}/stream` });
  }

  /** Starts a run and responds with its result. */
  async wait(threadId: string | undefined, body: RunStart, headers: Headers): Promise<HttpResponse> {
    const { record, live } = await this.#dependencies.runs.start(threadId, body, { headers, isAwaited: true });
    return this.#result(live, body.on_disconnect === "cancel", {
      "content-location": runPath(threadId, record),
      ...joinLocation(record),
    });
  }

  /** The result of a run that may have ended before. */
  async join(run: JoinedRun, cancelOnDisconnect: boolean): Promise<HttpResponse> {
    const { live: lives } = this.#dependencies;
    const headers = joinLocation(run);
    const live = lives.get(run.run_id);
    if (live) return this.#result(live, cancelOnDisconnect, headers);
    const ended = lives.ended.get(run.run_id);
    return ended ? { status: 200, json: ended.json, headers } : ok(this.#valuesOf(run.thread_id), headers);
  }

  /** The events of a run that may have ended before. */
  joinStream(threadId: string | undefined, run: JoinedRun, options: JoinOptions): HttpResponse {
    const stream = this.#events({ log: this.#dependencies.live.logOf(run.run_id) }, run.run_id, options);
    return eventStream(stream, { location: `${runPath(threadId, run)}/stream` });
  }

  /** The events of all runs of a thread. @throws {HttpError} 404 for an unknown thread. */
  threadStream(threadId: string, options: Pick<ReadOptions, "after" | "modes">): HttpResponse {
    const { runs, settings } = this.#dependencies;
    return endlessStream(runs.threadStream(threadId, { ...options, heartbeatMs: settings.heartbeatMs }));
  }

  /**
   * Cancels a run. Responds when it has ended if `wait` is set or the run hadn't started, otherwise at once.
   * @throws {HttpError} 404 for an unknown run.
   */
  async cancel(threadId: string, runId: string, action: CancelAction, wait: boolean): Promise<HttpResponse> {
    const { runs, live } = this.#dependencies;
    const record = runs.find(threadId, runId);
    if (wait) {
      await live.cancel(record.run_id, action);
      return { status: 204, headers: joinLocation(record) };
    }
    if (live.get(record.run_id)?.startedAt === undefined) await live.cancel(record.run_id, action);
    else this.#cancelInBackground(record.run_id, action);
    return { status: 202 };
  }

  #cancelInBackground(runId: string, action: CancelAction = "interrupt"): void {
    const { live, inBackground } = this.#dependencies;
    inBackground(() => live.cancel(runId, action));
  }

  #events({ log }: Pick<LiveRun, "log">, runId: string, options: JoinOptions): ReadableStream<Uint8Array> {
    const { cancelOnDisconnect, ...read } = options;
    return log.read({
      ...read,
      heartbeatMs: this.#dependencies.settings.heartbeatMs,
      onCancel: () => cancelOnDisconnect && this.#cancelInBackground(runId),
    });
  }

  /**
   * The result of a run, as JSON. For a longer run the status is sent first, then blank lines that keep the connection
   * open.
   */
  async #result(live: LiveRun, cancelOnDisconnect: boolean, headers: Record<string, string>): Promise<HttpResponse> {
    const { settings, inBackground } = this.#dependencies;
    const early = await Promise.race([live.done, delay(promptMs, undefined, { ref: false })]);
    if (early) return ok(this.#view(live, early), headers);
    let keepAlive: NodeJS.Timeout | undefined;
    let isDisconnected = false;
    const content = new ReadableStream<Uint8Array>({
      start: (controller) => {
        keepAlive = setInterval(() => controller.enqueue(encoder.encode("\n")), settings.heartbeatMs);
        keepAlive.unref();
        inBackground(async () => {
          const result = await live.done;
          clearInterval(keepAlive);
          if (isDisconnected) return;
          controller.enqueue(encoder.encode(JSON.stringify(this.#view(live, result))));
          controller.close();
        });
      },
      cancel: () => {
        clearInterval(keepAlive);
        isDisconnected = true;
        if (cancelOnDisconnect) this.#cancelInBackground(live.runId);
      },
    });
    return { status: 200, content, headers: { "content-type": "application/json", ...headers } };
  }

  #view({ threadId }: LiveRun, result: RunResult): object {
    return result.kind === "cancelled" ? this.#valuesOf(threadId) : resultBody(result);
  }

  #valuesOf(threadId: string): object {
    return this.#dependencies.records.get(threadId)?.values ?? {};
  }
}

/** Where a client whose connection was cut goes on to wait for a run, also for one without a thread of its own. */
function joinLocation({ thread_id: threadId, run_id: runId }: JoinedRun): Record<string, string> {
  return { location: `/threads/${threadId}/runs/${runId}/join` };
}

/** Where a run is found. */
function runPath(threadId: string | undefined, { run_id: runId }: JoinedRun): string {
  return threadId === undefined ? `/runs/${runId}` : `/threads/${threadId}/runs/${runId}`;
}
