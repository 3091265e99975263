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

/** What a thread shows of its last checkpoint. */
export type ShownState = Pick<ThreadRecord, "values" | "interrupts" | "status">;

/** What a state says of a thread on which nothing runs: it is interrupted while something is left to run. */
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
/** What of a thread decides how its states are read; one that is yet to be added has no config. */
export type StoredThread = Pick<ThreadRecord, "thread_id" | "metadata"> & Partial<Pick<ThreadRecord, "config">>;

interface ThreadStatesDependencies {
  records: ThreadRecords;
  checkpoints: CheckpointTable;
  graphs: Graphs;
  /** Who reads them; `null` where nobody has to be known. */
  user: AuthUser | null;
}

/** The states of the threads that a caller may see. */
export class ThreadStates {
  readonly #dependencies: ThreadStatesDependencies;

  constructor(dependencies: ThreadStatesDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * The state of a thread, or that at a checkpoint; with `subgraphs`, also those of its tasks that are graphs within it.
   * @throws {HttpError} 404 when there is no such thread or checkpoint.
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

  /** States that a thread has had, the newest first. @throws {HttpError} 404 when there is no such thread. */
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
    // A graph that is made by a function is made only for states that there are.
    return found.length === 0 ? [] : this.#at(thread, graph, found, false, user);
  }

  /**
   * The graph whose states a thread has; `undefined` for a thread that nothing has run on.
   * @throws {HttpError} 404 when the server has no such graph.
   */
  graphOf({ metadata }: Pick<ThreadRecord, "metadata">): Graph | undefined {
    return typeof metadata.graph_id === "string" ? this.#dependencies.graphs.find(metadata.graph_id) : undefined;
  }

  /** What the graph of a thread is made for: the config that the thread has of its runs. */
  settingsOf(
    { thread_id, metadata: { graph_id, assistant_id }, config = {} }: StoredThread,
    user = this.#dependencies.user,
  ): GraphSettings {
    const configurable = { ...(config.configurable as Fields | undefined), thread_id, graph_id, assistant_id };
    return graphSettings({ ...config, configurable }, {}, user);
  }

  /** States whose checkpoints are known to be there. */
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
