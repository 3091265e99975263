import { HttpError } from "../../kit/http/http-error.ts";
import type { Frame, LogReader, ReaderOptions } from "../../kit/log-reader.ts";
import type { AgentSettings } from "../agent-runtime.ts";
import type { ThreadRecords } from "../threads/thread-records.ts";
import { isEndOfRun } from "./agent-tree.ts";
import { matches, type Subscription, withKnownSince } from "./subscription.ts";
import { headOf, type ThreadEvents } from "./thread-events.ts";

interface EventReadersDependencies {
  settings: Pick<AgentSettings, "heartbeatMs">;
  /** Limited to what the caller may see. */
  records: ThreadRecords;
  events: ThreadEvents;
}

/**
 * Milliseconds since a client's last subscription within which it may subscribe to more. The official client makes its
 * subscriptions one after another, and takes no further events of a run for any of them once it has seen the end of the
 * run, which of a quick one comes with the first.
 */
const subscribingMs = 100;

/**
 * Milliseconds by which the end of a run follows its other events on a stream: a client may have several, whose events
 * it reads in any order.
 */
const otherStreamsMs = 20;

interface EventReaderOptions extends Omit<ReaderOptions, "heartbeatMs" | "holdBack"> {
  /** When the client has last subscribed, as `performance.now()` says. */
  lastSubscribed(): number;
  /** Minimum number of milliseconds for which the end of a run is held back. */
  minHoldMs: number;
}

/** Readers of the events of threads that a caller may see. */
export class EventReaders {
  readonly #dependencies: EventReadersDependencies;

  constructor(dependencies: EventReadersDependencies) {
    this.#dependencies = dependencies;
  }

  /** Milliseconds between signs of life on an idle connection. */
  get heartbeatMs(): number {
    return this.#dependencies.settings.heartbeatMs;
  }

  /** The events that a client wants, as the body of a response. @throws {HttpError} 404 for a hidden thread. */
  stream(threadId: string, wanted: Subscription): ReadableStream<Uint8Array> {
    const subscription = withKnownSince(wanted, this.#dependencies.events.lastNumber(threadId));
    const openedAt = performance.now();
    const options = {
      lastSubscribed: () => openedAt,
      minHoldMs: otherStreamsMs,
      accepts: (frame: Frame) => matches(subscription, frame),
      render: eventOfStream,
      renderError: (message: string) => `event: error\ndata: ${errorText(message)}\n\n`,
    };
    return this.open(threadId, options, subscription.since).stream();
  }

  /**
   * Opens a reader of a thread's events, which gets those after number `since` first. The thread needn't exist yet; the
   * reader of one that is made later, and is hidden from the caller, is cut off.
   * @throws {HttpError} 404 for a hidden thread.
   */
  open(threadId: string, { lastSubscribed, minHoldMs, ...options }: EventReaderOptions, since?: number): LogReader {
    const { events } = this.#dependencies;
    const { heartbeatMs } = this;
    this.checkVisible(threadId);
    let isAllowed = this.#isVisible(threadId);
    const log = events.logOf(threadId);
    const oldest = log.kept[0]?.number ?? log.lastNumber + 1;
    const reader: LogReader = log.open({
      ...options,
      heartbeatMs,
      holdBack(frame) {
        const isLast = frame.number === log.lastNumber && isEndOfRun(frame);
        return isLast ? Math.max(minHoldMs, lastSubscribed() + subscribingMs - performance.now()) : 0;
      },
      after: String(since ?? oldest - 1),
      accepts: (frame) => {
        isAllowed ||= this.#isVisible(threadId);
        if (!isAllowed) reader.cut(notFound(threadId));
        return isAllowed && options.accepts?.(frame) !== false;
      },
      onClose: () => events.release(threadId),
    });
    return reader;
  }

  /** @throws {HttpError} 404 for a hidden thread. */
  checkVisible(threadId: string): void {
    if (!this.#isVisible(threadId) && this.#dependencies.events.isKnown(threadId))
      throw new HttpError(404, notFound(threadId));
  }

  #isVisible(threadId: string): boolean {
    return this.#dependencies.records.get(threadId) !== undefined;
  }
}

export const notFound = (threadId: string) => `Thread with ID ${threadId} not found`;

/** What a client is told that is cut off, in the form of the protocol. */
export function errorText(message: string): string {
  return JSON.stringify({ type: "error", id: null, error: "unknown_error", message });
}

let last: { frame: Frame; text: string } | undefined;

/** A stored event as one of a stream of server-sent events. All readers ask for the same one after another. */
function eventOfStream(frame: Frame): string {
  if (last?.frame !== frame) {
    const text = `event: ${oneLine(headOf(frame).method)}\ndata: ${frame.text}\nid: ${frame.number}\n\n`;
    last = { frame, text };
  }
  return last.text;
}

/** Methods come from a project's worker, which can send anything. */
const oneLine = (method: string) => method.replaceAll(/[\r\n]/g, " ");
