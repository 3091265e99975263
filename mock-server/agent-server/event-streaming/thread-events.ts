import { EventLog } from "../../kit/event-log.ts";
import type { Frame } from "../../kit/log-reader.ts";
import type { AgentRuntime, AgentSettings } from "../agent-runtime.ts";
import type { Fields } from "../engine/contract.ts";
import { type EventHead, eventHead, type LifecycleStatus } from "../engine/protocol-event.ts";
import type { AgentState } from "../persistence/agent-state.ts";
import type { LiveRun, RunResult } from "../runs/live-run.ts";

interface ThreadEventsDependencies extends Pick<AgentRuntime, "clock" | "onDefect"> {
  settings: Pick<AgentSettings, "streamLimits">;
  state: Pick<AgentState, "threads" | "threadEvents">;
  isBusy(threadId: string): boolean;
}

/**
 * The events of threads, as the streaming protocol has them: those of all runs that its commands have started, numbered
 * through, stored, and kept as far as the limits reach. A log is in memory while somebody reads it or a run is in
 * progress.
 */
export class ThreadEvents {
  readonly #dependencies: ThreadEventsDependencies;
  readonly #logs = new Map<string, EventLog>();
  #isClosed = false;

  constructor(dependencies: ThreadEventsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether the server is closing, and not only a thread has been deleted. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The log of a thread, which may not exist yet. Whoever reads it calls {@link release} afterwards. */
  logOf(threadId: string): EventLog {
    const open = this.#logs.get(threadId);
    // One that couldn't be stored any longer has ended, and stays until its run has.
    if (open) return open;
    const { state, clock, settings, onDefect } = this.#dependencies;
    const log: EventLog = new EventLog({
      keeps: true,
      now: () => clock.now(),
      limits: settings.streamLimits,
      onDefect,
      ...state.threadEvents.of(threadId),
      archive: {
        append: (frames, oldest) => state.threadEvents.append(threadId, frames, oldest, log.replaySize),
      },
      format: (number, head, data) => eventText(number, JSON.parse(head) as EventHead, clock.now(), data),
    });
    if (this.#isClosed) log.end();
    else this.#logs.set(threadId, log);
    return log;
  }

  /** Whether a thread exists, whoever may see it. */
  isKnown(threadId: string): boolean {
    return this.#dependencies.state.threads.get(threadId) !== undefined;
  }

  /** The events of a thread that can be replayed. */
  kept(threadId: string): readonly Frame[] {
    const { kept } = this.logOf(threadId);
    this.release(threadId);
    return kept;
  }

  /** The number of a thread's last event. */
  lastNumber(threadId: string): number {
    return this.#logs.get(threadId)?.lastNumber ?? this.#dependencies.state.threadEvents.lastNumber(threadId);
  }

  /** Forgets the log of a thread that nobody reads and no run writes to. */
  release(threadId: string): void {
    const log = this.#logs.get(threadId);
    if (!log || log.hasReaders || this.#dependencies.isBusy(threadId)) return;
    log.flush();
    this.#logs.delete(threadId);
  }

  /** Sends an event of a graph; one that isn't part of the protocol is dropped. Both arguments are JSON. */
  publish(threadId: string, head: string, data: string): void {
    const parsed = parsedHead(head);
    if (parsed && isReadable(parsed, data)) this.#publish(threadId, parsed, data);
  }

  runStarted({ threadId, graphId, start }: LiveRun): void {
    if (!start.event_streaming) return;
    this.#sayOfRoot(threadId, "running", { graph_name: graphId });
    const ids = Object.keys(start.command?.resume ?? {});
    if (ids.length === 0 || !ids.every(isInterruptId)) return;
    this.#publish(threadId, { method: "input.answered", namespace: [] }, JSON.stringify({ interrupt_ids: ids }));
  }

  /** Announces the end of a run, after everything else has been settled. */
  runEnded(live: LiveRun, result: RunResult): void {
    const { threadId, graphId, start, startedAt } = live;
    if (this.#isClosed) return;
    if (!start.event_streaming) {
      this.release(threadId);
      return;
    }
    if (this.#logs.get(threadId)?.hasEnded) this.#logs.delete(threadId);
    const isForAnother = startedAt === undefined && this.#dependencies.isBusy(threadId);
    if (!isForAnother)
      this.#sayOfRoot(threadId, statusOf(live, result), { graph_name: graphId, ...errorOf(live, result) });
    this.#logs.get(threadId)?.flush();
    this.release(threadId);
    this.#dependencies.state.threadEvents.trim();
  }

  /** Ends the streams of a deleted thread. */
  close(threadId: string): void {
    this.#logs.get(threadId)?.end();
    this.#logs.delete(threadId);
  }

  closeAll(): void {
    this.#isClosed = true;
    for (const threadId of [...this.#logs.keys()]) this.close(threadId);
  }

  #sayOfRoot(threadId: string, event: LifecycleStatus, more: Fields): void {
    this.#publish(threadId, { method: "lifecycle", namespace: [] }, JSON.stringify({ event, ...more }));
  }

  #publish(threadId: string, head: EventHead, data: string): void {
    const text = JSON.stringify(head);
    this.logOf(threadId).publish(text, text, data);
  }
}

/** What a run that an earlier server left says about its end. */
const cutOff = "The server ended while the run was in progress.";

function statusOf({ isCutOff }: LiveRun, result: RunResult): LifecycleStatus {
  if (result.kind === "error" || isCutOff) return "failed";
  return result.kind === "cancelled" || result.interrupts ? "interrupted" : "completed";
}

function errorOf({ isCutOff }: LiveRun, result: RunResult): Fields {
  if (result.kind === "error") return { error: result.error.message };
  return isCutOff ? { error: cutOff } : {};
}

/** Interrupts have ids of 32 hexadecimal digits. */
const isInterruptId = (id: string) => /^[0-9a-f]{32}$/.test(id);

function eventText(number: number, { method, namespace, node }: EventHead, timestamp: number, data: string): string {
  const own = node === undefined ? "" : `"node":${JSON.stringify(node)},`;
  const params = `{"namespace":${JSON.stringify(namespace)},"timestamp":${timestamp},${own}"data":${data}}`;
  // Clients drop an event whose id they have seen, also when the server has begun to count from 1 again.
  return `{"type":"event","event_id":"${timestamp}-${number}","seq":${number},"method":${JSON.stringify(method)},"params":${params}}`;
}

function parsedHead(text: string): EventHead | undefined {
  try {
    return eventHead.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Whether the server can read those events that it reads itself: a project's worker can send anything. */
function isReadable({ method }: EventHead, data: string): boolean {
  if (method !== "lifecycle" && method !== "input.requested") return true;
  try {
    return typeof JSON.parse(data) === "object";
  } catch {
    return false;
  }
}

/** Maximum number of heads that are remembered: a run has few different ones. */
const maxHeads = 1000;
const heads = new Map<string, EventHead>();

/** What a stored event is about. Each reader asks for that of each event, so they are read once. */
export function headOf({ mode }: Frame): EventHead {
  const known = heads.get(mode);
  if (known) return known;
  const head = JSON.parse(mode) as EventHead;
  if (heads.size >= maxHeads) heads.clear();
  heads.set(mode, head);
  return head;
}
