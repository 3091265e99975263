import type { AgentRuntime } from "../agent-runtime.ts";
import type { Graphs } from "../assistants/graphs.ts";
import { commandOf, type Fields, type Graph, GraphError } from "../engine/contract.ts";
import { graphSettings } from "../engine/graph-settings.ts";
import type { ThreadEvents } from "../event-streaming/thread-events.ts";
import type { CheckpointTable } from "../persistence/checkpoint-table.ts";
import type { RunRecord } from "../persistence/records.ts";
import { type Items, nodeStore } from "../store/items.ts";
import { checkpointStore, findCheckpoint, namedId } from "../threads/checkpoints.ts";
import type { LiveRun, RunResult } from "./live-run.ts";
import { streamModesOf } from "./run-kwargs.ts";

interface ExecutionDependencies extends Pick<AgentRuntime, "clock" | "alarms" | "ids"> {
  graphs: Graphs;
  checkpoints: CheckpointTable;
  items: Items;
  threadEvents: Pick<ThreadEvents, "publish">;
}

/** Executes the graph of a run. @throws what the graph throws, or the signal's reason when the run is cancelled. */
export async function executeRun(
  { graphs, checkpoints, items, threadEvents, clock, alarms, ids }: ExecutionDependencies,
  live: LiveRun,
  record: RunRecord,
): Promise<RunResult> {
  const { start, runId, threadId, log, abort } = live;
  const { kwargs } = record;
  const graph = graphs.find(record.metadata.graph_id as string);
  const keepsState = start.on_completion !== "delete";
  const config = kwargs.config as Fields;
  const { values, interrupts } = await graph.execute({
    input: start.input,
    command: commandOf(start.command),
    checkpointId: keepsState ? startingPoint(checkpoints, graph, threadId, kwargs) : undefined,
    runId,
    threadId,
    ...graphSettings(config, kwargs.context as Fields, record.user),
    user: record.user,
    metadata: { ...record.metadata, run_id: runId, thread_id: threadId, run_attempt: 1 },
    interruptBefore: start.interrupt_before ?? [],
    interruptAfter: start.interrupt_after ?? [],
    recursionLimit: recursionLimit(config),
    durability: start.durability,
    streamModes: streamModesOf(start),
    streamSubgraphs: start.stream_subgraphs,
    streamsProtocol: start.event_streaming ?? false,
    checkpoints: keepsState ? checkpointStore(checkpoints, threadId, graph.engine, abort.signal) : undefined,
    signal: abort.signal,
    store: nodeStore(items),
    publish: (mode, event, data) => {
      if (abort.signal.aborted) return;
      if (mode === "protocol") threadEvents.publish(threadId, event, data);
      else log.publish(mode, event, data);
    },
    beginAttempt: (attempt) => log.publish("always", "metadata", JSON.stringify({ run_id: runId, attempt })),
    sleep: (ms, signal) => alarms.sleep(ms, signal),
    now: () => clock.now(),
    uuid: () => ids.uuid(),
  });
  return { kind: "success", values, ...(interrupts ? { interrupts } : {}) };
}

function recursionLimit(config: Fields): number | undefined {
  const limit = config.recursion_limit;
  if (limit === undefined || limit === null) return undefined;
  if (typeof limit === "number" && limit >= 1) return limit;
  throw new GraphError("ValueError", `recursion_limit must be at least 1, not ${String(limit)}.`);
}

/** The checkpoint that the request names, if any. */
function startingPoint(
  checkpoints: CheckpointTable,
  graph: Graph,
  threadId: string,
  kwargs: Fields,
): string | undefined {
  const configurable = (kwargs.config as Fields).configurable as Fields;
  const chosen =
    namedId((kwargs.checkpoint as Fields | undefined)?.checkpoint_id) ?? namedId(configurable.checkpoint_id);
  if (chosen === undefined) return undefined;
  return findCheckpoint(checkpoints, threadId, graph.engine, { checkpoint_id: chosen })?.id;
}
