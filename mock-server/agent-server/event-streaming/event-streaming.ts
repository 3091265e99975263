import { HttpError } from "../../kit/http/http-error.ts";
import type { IdSource } from "../../kit/ids.ts";
import type { KeyedLocks } from "../../kit/keyed-locks.ts";
import type { AgentSettings } from "../agent-runtime.ts";
import type { Fields, StateSnapshot } from "../engine/contract.ts";
import type { ThreadRecord } from "../persistence/records.ts";
import type { LiveRuns } from "../runs/live-runs.ts";
import type { RunStart } from "../runs/run-schemas.ts";
import type { Runs } from "../runs/runs.ts";
import type { ThreadRecords } from "../threads/thread-records.ts";
import type { ThreadStates } from "../threads/thread-states.ts";
import { agentTree, requestedInterrupts } from "./agent-tree.ts";
import { CommandError } from "./command-error.ts";
import { EventReaders, notFound } from "./event-readers.ts";
import type { ThreadEvents } from "./thread-events.ts";

interface EventStreamingDependencies {
  settings: Pick<AgentSettings, "heartbeatMs">;
  ids: IdSource;
  records: ThreadRecords;
  states: ThreadStates;
  runs: Runs;
  live: LiveRuns;
  locks: KeyedLocks;
}

/** What the commands of the streaming protocol do to the threads that a caller may see. */
export class EventStreaming {
  readonly events: ThreadEvents;
  readonly readers: EventReaders;
  readonly #dependencies: EventStreamingDependencies;

  constructor(dependencies: EventStreamingDependencies) {
    this.#dependencies = dependencies;
    this.events = dependencies.live.threadEvents;
    this.readers = new EventReaders({ ...dependencies, events: this.events });
  }

  newId(): string {
    return this.#dependencies.ids.uuid();
  }

  /** @throws {CommandError} for an unknown thread. */
  find(threadId: string): ThreadRecord {
    const found = this.#dependencies.records.get(threadId);
    if (!found) throw new CommandError("no_such_run", notFound(threadId));
    return found;
  }

  /**
   * Starts a run, on a new thread if there is none with the id. On a thread that waits for answers, an input is the
   * answer, unless the run begins at an earlier checkpoint.
   * @throws {HttpError} as {@link Runs.start}; {CommandError} for an unknown checkpoint.
   */
  async start(threadId: string, body: RunStart, headers: Headers): Promise<string> {
    const { records, runs, live } = this.#dependencies;
    const isWaiting = !live.isBusy(threadId) && openInterrupts(records.get(threadId)).length > 0;
    const isInput = body.input !== undefined && body.input !== null;
    const checkpointId = body.config?.configurable?.checkpoint_id;
    const isFork = typeof checkpointId === "string" && checkpointId !== "";
    if (isFork) this.#checkCheckpoint(threadId, checkpointId);
    const { input, ...rest } = body;
    const isAnswer = isWaiting && isInput && !isFork && !body.command;
    const start: RunStart = isAnswer ? { ...rest, command: { resume: input } } : body;
    const { record } = await runs.start(threadId, { ...start, event_streaming: true }, { headers });
    return record.run_id;
  }

  /**
   * Continues a thread with answers to interrupts, by their ids. Answers to questions of a run that is just ending wait
   * for its end.
   * @throws {CommandError} for interrupts that aren't open.
   */
  async answer(threadId: string, ids: readonly string[], body: RunStart, headers: Headers): Promise<string> {
    const { live, locks } = this.#dependencies;
    return locks.run(`answers/${threadId}`, async () => {
      if (live.isBusy(threadId)) this.#checkOpen(ids, requestedInterrupts(this.events.kept(threadId)));
      await live.whenIdle(threadId);
      this.#checkOpen(ids, new Set(openInterrupts(this.find(threadId))));
      return this.start(threadId, body, headers);
    });
  }

  #checkOpen(ids: readonly string[], open: ReadonlySet<string>): void {
    const unknown = ids.find((id) => !open.has(id));
    if (unknown === undefined) return;
    const others = open.size > 0 ? `the open ones are ${[...open].join(", ")}` : "the thread waits for no answer";
    throw new CommandError("no_such_interrupt", `Interrupt ${unknown} isn't open: ${others}.`);
  }

  /** The state of the graph or of one of its subgraphs. @throws {CommandError} for an unknown thread or namespace. */
  async state(threadId: string, namespace: readonly string[]): Promise<StateSnapshot> {
    this.find(threadId);
    const path = namespace.join("|");
    const state = await this.#dependencies.states.read(threadId, { checkpoint_ns: path });
    if (state.checkpoint === null && path !== "") {
      throw new CommandError("no_such_namespace", `Thread ${threadId} has no state of ${JSON.stringify(namespace)}.`);
    }
    return state;
  }

  /** Earlier states, newest first. @throws {CommandError} for an unknown thread. */
  async history(
    threadId: string,
    { namespace = [], limit = 10, before }: { namespace?: string[]; limit?: number; before?: string },
  ): Promise<StateSnapshot[]> {
    this.find(threadId);
    const checkpoint = { checkpoint_ns: namespace.join("|") };
    return this.#dependencies.states.history(threadId, { limit, before, checkpoint });
  }

  #checkCheckpoint(threadId: string, checkpointId: string): void {
    this.find(threadId);
    try {
      this.#dependencies.states.check(threadId, { checkpoint_id: checkpointId });
    } catch (error) {
      if (!(error instanceof HttpError) || error.status !== 404) throw error;
      throw new CommandError("no_such_checkpoint", error.message);
    }
  }

  /** The graphs of the thread's last run. @throws {CommandError} for a thread without one, or another run. */
  tree(threadId: string, runId: string | undefined): Fields {
    this.find(threadId);
    const [newest] = this.#dependencies.runs.ofThread(threadId, undefined, 1, 0);
    const isOther = runId !== undefined && newest?.run_id !== runId.toLowerCase();
    const tree = isOther ? undefined : agentTree(this.events.kept(threadId));
    if (tree) return { ...tree };
    const which = isOther ? `Run ${runId} isn't the last one of the thread` : "The thread has no run with events";
    throw new CommandError("no_such_run", `${which}, whose graphs are known.`);
  }
}

function openInterrupts(thread: ThreadRecord | undefined): string[] {
  const interrupts = Object.values(thread?.interrupts ?? {}).flat() as { id?: string }[];
  return interrupts.flatMap(({ id }) => (id === undefined ? [] : [id]));
}
