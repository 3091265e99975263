import type { z } from "zod";
import type { Graphs } from "../assistants/graphs.ts";
import type { AuthUser } from "../auth/auth-user.ts";
import type { Fields, Graph, GraphSettings, StateSnapshot } from "../engine/contract.ts";
import { graphSettings } from "../engine/graph-settings.ts";
import type { CheckpointTable } from "../persistence/checkpoint-table.ts";
import type { ThreadRecord } from "../persistence/records.ts";
import { type CheckpointChoice, checkpointStore, findCheckpoint, namedId } from "./checkpoints.ts";
import type { ThreadRecords } from "./thread-records.ts";
import type { historySearch } from "./thread-schemas.ts";

const emptyState: StateSnapshot = {
  values: {},
  next: [],
  tasks: [],
  metadata: {},
  created_at: null,
  checkpoint: null,
  parent_checkpoint: null,
  interrupts: [],
};

/** The fields of a thread that come from its last checkpoint. */
export type ShownState = Pick<ThreadRecord, "values" | "interrupts" | "status">;

/** The fields of an idle thread in this state: it is interrupted while tasks are pending. */
export function shownState({ tasks, next, checkpoint, values }: StateSnapshot): ShownState {
  const asking = tasks.filter(
    ({ result, name, interrupts }) => result === null && next.includes(name) && interrupts.length > 0,
  );
  return {
    values: checkpoint === null ? null : values,
    interrupts: Object.fromEntries(asking.map(({ id, interrupts }) => [id, interrupts])),
    status: next.length > 0 ? "interrupted" : "idle",
  };
}
/** The fields of a thread that reading its states depends on; a thread that isn't stored yet has no config. */
export type StoredThread = Pick<ThreadRecord, "thread_id" | "metadata"> & Partial<Pick<ThreadRecord, "config">>;

interface ThreadStatesDependencies {
  records: ThreadRecords;
  checkpoints: CheckpointTable;
  graphs: Graphs;
  /** The caller; `null` without auth handlers. */
  user: AuthUser | null;
}

/** The states of the threads that a caller may see. */
export class ThreadStates {
  readonly #dependencies: ThreadStatesDependencies;

  constructor(dependencies: ThreadStatesDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * The current state of a thread, or that at a checkpoint; with `subgraphs`, also those of its subgraphs.
   * @throws {HttpError} 404 for an unknown thread or checkpoint.
   */
  async read(
    threadId: string,
    choice: CheckpointChoice,
    { subgraphs = false, user = this.#dependencies.user }: { subgraphs?: boolean; user?: AuthUser | null } = {},
  ): Promise<StateSnapshot> {
    const thread = this.#dependencies.records.find(threadId);
    const graph = this.graphOf(thread);
    const found = findCheckpoint(this.#dependencies.checkpoints, threadId, graph?.engine, choice);
    if (!found || !graph) return emptyState;
    const id = namedId(choice.checkpoint_id) === undefined ? undefined : found.id;
    const [state] = await this.#at(thread, graph, [{ namespace: found.namespace, id }], subgraphs, user);
    return state as StateSnapshot;
  }

  /** @throws {HttpError} 404 for an unknown thread or checkpoint. */
  check(threadId: string, choice: CheckpointChoice): void {
    const thread = this.#dependencies.records.find(threadId);
    findCheckpoint(this.#dependencies.checkpoints, threadId, this.graphOf(thread)?.engine, choice);
  }

  /** Earlier states of a thread, newest first. @throws {HttpError} 404 for an unknown thread. */
  async history(
    threadId: string,
    { limit, before, metadata, checkpoint }: z.output<typeof historySearch>,
  ): Promise<StateSnapshot[]> {
    const { records, checkpoints, user } = this.#dependencies;
    const thread = records.find(threadId);
    const graph = this.graphOf(thread);
    if (!graph) return [];
    const reference = typeof before === "object" && "configurable" in before ? before.configurable : before;
    const filter = {
      namespace: checkpoint?.checkpoint_ns ?? "",
      id: namedId(checkpoint?.checkpoint_id),
      before: namedId(typeof reference === "object" ? (reference as Fields).checkpoint_id : reference),
      metadata,
    };
    const found = checkpoints.search(threadId, graph.engine, filter, limit);
    // Avoids making a graph when there is no state to read.
    return found.length === 0 ? [] : this.#at(thread, graph, found, false, user);
  }

  /**
   * The graph of a thread; `undefined` for a thread without runs.
   * @throws {HttpError} 404 when the server doesn't have the graph.
   */
  graphOf({ metadata }: Pick<ThreadRecord, "metadata">): Graph | undefined {
    return typeof metadata.graph_id === "string" ? this.#dependencies.graphs.find(metadata.graph_id) : undefined;
  }

  /** The settings for a thread's graph: the config of its last run. */
  settingsOf(
    { thread_id, metadata: { graph_id, assistant_id }, config = {} }: StoredThread,
    user = this.#dependencies.user,
  ): GraphSettings {
    const configurable = { ...(config.configurable as Fields | undefined), thread_id, graph_id, assistant_id };
    return graphSettings({ ...config, configurable }, {}, user);
  }

  /** The states at checkpoints that exist. */
  #at(
    thread: ThreadRecord,
    graph: Graph,
    at: readonly { namespace: string; id?: string | undefined }[],
    subgraphs: boolean,
    user: AuthUser | null,
  ): Promise<StateSnapshot[]> {
    const threadId = thread.thread_id;
    const checkpoints = checkpointStore(this.#dependencies.checkpoints, threadId, graph.engine);
    return graph.states({ threadId, settings: this.settingsOf(thread, user), checkpoints, at, subgraphs });
  }
}
