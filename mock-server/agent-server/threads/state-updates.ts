import type { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import type { KeyedLocks } from "../../kit/keyed-locks.ts";
import { timestamp } from "../../kit/timestamp.ts";
import type { AgentRuntime } from "../agent-runtime.ts";
import type { CheckpointReference, Fields, StateChange, StateSnapshot } from "../engine/contract.ts";
import type { AgentState } from "../persistence/agent-state.ts";
import type { ThreadRecord } from "../persistence/records.ts";
import type { LiveRuns } from "../runs/live-runs.ts";
import { type CheckpointChoice, findCheckpoint, heldCheckpoints } from "./checkpoints.ts";
import type { ThreadRecords } from "./thread-records.ts";
import type { threadStateUpdate } from "./thread-schemas.ts";
import { type StoredThread, shownState, type ThreadStates } from "./thread-states.ts";

interface StateUpdatesDependencies extends Pick<AgentRuntime, "clock" | "ids"> {
  /** Limited to what the caller may see. */
  state: Pick<AgentState, "checkpoints" | "transaction">;
  records: ThreadRecords;
  states: ThreadStates;
  runs: Pick<LiveRuns, "isBusy">;
  locks: KeyedLocks;
}

/** A computed update of a thread's state, not written yet. */
interface PreparedUpdate {
  /** The checkpoint that it creates last. */
  reference: CheckpointReference;
  /**
   * Writes the update. Returns the changed thread; `undefined` when it was deleted.
   * @throws {HttpError} 409 when the state has changed since.
   */
  keep(): ThreadRecord | undefined;
}

/** Updates the states of the threads that a caller may see. */
export class StateUpdates {
  readonly #dependencies: StateUpdatesDependencies;

  constructor(dependencies: StateUpdatesDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Updates the state of a thread as if a node had returned the values. Concurrent updates of one thread are applied
   * one after another.
   * @throws {HttpError} 409 while a run is in progress, or when one ran in the meantime, 422 for a thread without a graph;
   * {GraphError} for an unknown node or values that don't fit.
   */
  async update(threadId: string, body: z.output<typeof threadStateUpdate>): Promise<CheckpointReference> {
    const { state, records, runs, locks } = this.#dependencies;
    const findIdle = () => {
      const thread = records.find(threadId);
      if (runs.isBusy(threadId)) throw new HttpError(409, `Thread ${threadId} is busy: a run is in progress.`);
      return thread;
    };
    const chosen =
      body.checkpoint_id === undefined ? body.checkpoint : { ...body.checkpoint, checkpoint_id: body.checkpoint_id };
    const updates = Array.isArray(body.values) ? body.values : [body.values];
    const supersteps = updates.map((values) => [{ values, asNode: body.as_node }]);
    return locks.run(`state/${threadId}`, async () => {
      const update = await this.prepare(findIdle(), chosen ?? {}, supersteps);
      findIdle();
      state.transaction(() => update.keep());
      return update.reference;
    });
  }

  /**
   * Computes an update of the state of a thread, which may not be stored yet.
   * @throws {HttpError} 404 for an unknown checkpoint, 422 for a thread without a graph; {GraphError} for an unknown
   * node or values that don't fit.
   */
  async prepare(thread: StoredThread, choice: CheckpointChoice, supersteps: StateChange[][]): Promise<PreparedUpdate> {
    const { state, records, states, clock, ids } = this.#dependencies;
    const { thread_id: threadId } = thread;
    const graph = states.graphOf(thread);
    if (!graph) {
      throw new HttpError(422, `Thread ${threadId} has no graph: run one on it, or set "graph_id" in its metadata.`);
    }
    const metadata = { graph_id: graph.id, thread_id: threadId };
    const checkpoints = heldCheckpoints(state.checkpoints, threadId, graph.engine);
    const findLatest = () => state.checkpoints.search(threadId, graph.engine, {}, 1)[0]?.id;
    const latest = findLatest();
    const settings = states.settingsOf(thread);
    const { namespace, id } = await graph.update({
      threadId,
      settings,
      checkpoints,
      from: findCheckpoint(state.checkpoints, threadId, graph.engine, choice),
      supersteps,
      metadata,
      configurable: metadata,
      now: () => clock.now(),
      uuid: () => ids.uuid(),
    });
    const [after] = await graph.states({ threadId, settings, checkpoints, at: [{ namespace: "" }], subgraphs: false });
    return {
      reference: { thread_id: threadId, checkpoint_id: id, checkpoint_ns: namespace, checkpoint_map: null },
      keep() {
        if (findLatest() !== latest)
          throw new HttpError(409, `The state of thread ${threadId} changed in the meantime.`);
        checkpoints.keep();
        return records.change(threadId, () => ({
          ...shownState(after as StateSnapshot),
          error: null,
          state_updated_at: timestamp(clock.now()),
        }));
      },
    };
  }

  /**
   * Merges metadata into that of the current checkpoint.
   * @throws {HttpError} 404 for an unknown thread, 422 for one without a state.
   */
  mergeMetadata(threadId: string, metadata: Fields): void {
    const { state, records, states } = this.#dependencies;
    const graph = states.graphOf(records.find(threadId));
    const latest = findCheckpoint(state.checkpoints, threadId, graph?.engine, {});
    if (!latest) throw new HttpError(422, `Thread ${threadId} has no state yet.`);
    state.checkpoints.setMetadata(threadId, latest, { ...latest.metadata, ...metadata });
  }
}
