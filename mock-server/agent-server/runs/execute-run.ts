import { toBothNames } from "../../../core/dialect.ts";
import type { AgentHost } from "../agent-host.ts";
import { findGraph } from "../assistants/assistant-model.ts";
import { commandOf, type Fields, type Graph, GraphError } from "../engine/contract.ts";
import type { RunRecord } from "../persistence/records.ts";
import { nodeStore } from "../store/store-model.ts";
import { checkpointStore } from "../threads/checkpoints.ts";
import { findCheckpoint } from "../threads/thread-state.ts";
import type { LiveRun, RunResult } from "./live-run.ts";
import { streamModesOf } from "./run-kwargs.ts";

/** Runs the graph of a run. @throws what the graph throws; the signal's reason when the run is cancelled. */
export async function executeRun(host: AgentHost, live: LiveRun, record: RunRecord): Promise<RunResult> {
  const { start, runId, threadId, log, abort } = live;
  const { kwargs } = record;
  const graph = findGraph(host, record.metadata.graph_id as string);
  const keepsState = start.on_completion !== "delete";
  const config = kwargs.config as Fields;
  const { values, interrupts } = await graph.execute({
    input: start.input,
    command: commandOf(start.command),
    checkpointId: keepsState ? startingPoint(host, graph, threadId, kwargs) : undefined,
    runId,
    threadId,
    config: {
      ...config,
      configurable: toBothNames({ ...(config.configurable as Fields | undefined), ...configurableUser(record) }),
    },
    context: kwargs.context as Fields,
    metadata: { ...record.metadata, run_id: runId, thread_id: threadId, run_attempt: 1 },
    interruptBefore: start.interrupt_before ?? [],
    interruptAfter: start.interrupt_after ?? [],
    recursionLimit: recursionLimit(config),
    durability: start.durability,
    streamModes: streamModesOf(start),
    streamSubgraphs: start.stream_subgraphs,
    checkpoints: keepsState ? checkpointStore(host, threadId, graph.engine, abort.signal) : undefined,
    signal: abort.signal,
    store: nodeStore(host),
    publish: (mode, event, data) => {
      if (!abort.signal.aborted) log.publish(mode, event, data);
    },
    beginAttempt: (attempt) => log.publish("always", "metadata", JSON.stringify({ run_id: runId, attempt })),
    sleep: (ms, signal) => host.alarms.sleep(ms, signal),
    now: () => host.clock.now(),
    uuid: () => host.ids.uuid(),
  });
  return { kind: "success", values, ...(interrupts ? { interrupts } : {}) };
}

/** What graphs are told of the user, whatever the request or the assistant say of one. */
function configurableUser({ user }: RunRecord): Fields {
  if (!user) return {};
  const { identity, permissions } = user;
  return {
    graph_auth_user: user,
    graph_auth_user_id: identity,
    graph_auth_permissions: permissions,
    user_id: identity,
  };
}

function recursionLimit(config: Fields): number | undefined {
  const limit = config.recursion_limit;
  if (limit === undefined || limit === null) return undefined;
  if (typeof limit === "number" && limit >= 1) return limit;
  throw new GraphError("ValueError", `recursion_limit must be at least 1, and is ${String(limit)}.`);
}

/** The checkpoint that the caller names, if any. */
function startingPoint(host: AgentHost, graph: Graph, threadId: string, kwargs: Fields): string | undefined {
  const configurable = (kwargs.config as Fields).configurable as Fields;
  const chosen = (kwargs.checkpoint as Fields | undefined)?.checkpoint_id ?? configurable.checkpoint_id;
  if (typeof chosen !== "string") return undefined;
  return findCheckpoint(host, threadId, graph.engine, { checkpoint_id: chosen })?.id;
}
