import type { z } from "zod";
import type { Graphs } from "../assistants/graphs.ts";
import type { Fields, Graph, StateSnapshot } from "../engine/contract.ts";
import type { CheckpointTable } from "../persistence/checkpoint-table.ts";
import type { ThreadRecord } from "../persistence/records.ts";
import { type CheckpointChoice, checkpointStore, findCheckpoint } from "./checkpoints.ts";
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

interface ThreadStatesDependencies {
  records: ThreadRecords;
  checkpoints: CheckpointTable;
  graphs: Graphs;
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
  async read(threadId: string, choice: CheckpointChoice, subgraphs = false): Promise<StateSnapshot> {
    const graph = this.graphOf(this.#dependencies.records.find(threadId));
    const found = findCheckpoint(this.#dependencies.checkpoints, threadId, graph?.engine, choice);
    if (!found || !graph) return emptyState;
    const id = choice.checkpoint_id === undefined ? undefined : found.id;
    const [state] = await this.#at(threadId, graph, [{ namespace: found.namespace, id }], subgraphs);
    return state as StateSnapshot;
  }

  /** States that a thread has had, the newest first. @throws {HttpError} 404 when there is no such thread. */
  async history(
    threadId: string,
    { limit, before, metadata, checkpoint }: z.output<typeof historySearch>,
  ): Promise<StateSnapshot[]> {
    const { records, checkpoints } = this.#dependencies;
    const graph = this.graphOf(records.find(threadId));
    if (!graph) return [];
    const reference = typeof before === "object" && "configurable" in before ? before.configurable : before;
    const beforeId = typeof reference === "string" ? reference : (reference as Fields | undefined)?.checkpoint_id;
    const filter = {
      namespace: checkpoint?.checkpoint_ns ?? "",
      id: checkpoint?.checkpoint_id,
      before: typeof beforeId === "string" ? beforeId : undefined,
      metadata,
    };
    return this.#at(threadId, graph, checkpoints.search(threadId, graph.engine, filter, limit), false);
  }

  /**
   * The graph whose states a thread has; `undefined` for a thread that nothing has run on.
   * @throws {HttpError} 404 when the server has no such graph.
   */
  graphOf({ metadata }: Pick<ThreadRecord, "metadata">): Graph | undefined {
    return typeof metadata.graph_id === "string" ? this.#dependencies.graphs.find(metadata.graph_id) : undefined;
  }

  /** States whose checkpoints are known to be there. */
  #at(
    threadId: string,
    graph: Graph,
    at: readonly { namespace: string; id?: string | undefined }[],
    subgraphs: boolean,
  ): Promise<StateSnapshot[]> {
    const checkpoints = checkpointStore(this.#dependencies.checkpoints, threadId, graph.engine);
    return graph.states({ threadId, checkpoints, at, subgraphs });
  }
}
