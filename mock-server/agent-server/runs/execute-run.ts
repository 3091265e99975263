import { toBothNames } from "../../../core/dialect.ts";
import type { AgentHost } from "../agent-host.ts";
import { findGraph } from "../assistants/assistant-model.ts";
import { reopened } from "../engine/checkpoint.ts";
import type { Command, Execution, Fields } from "../engine/graph.ts";
import { type Checkpoint, GraphError } from "../engine/graph.ts";
import type { RunRecord } from "../state/records.ts";
import { nodeStore } from "../store/store-model.ts";
import { checkpointsOf, findCheckpoint } from "../threads/thread-state.ts";
import type { LiveRun, RunResult } from "./live-run.ts";
import { streamModesOf } from "./run-kwargs.ts";
import { engineModes, StreamModes } from "./stream-modes.ts";

/** Steps after which a run without a limit of its own is taken for an endless loop. */
const defaultRecursionLimit = 25;

/** Runs the graph of a run. @throws what the graph throws; the signal's reason when the run is cancelled. */
export async function executeRun(host: AgentHost, live: LiveRun, record: RunRecord): Promise<RunResult> {
  const { start, runId, threadId, log, abort } = live;
  const { kwargs } = record;
  const graph = findGraph(host, record.metadata.graph_id as string);
  const modes = streamModesOf(start);
  const sink = new StreamModes(modes, start.stream_subgraphs, log);
  const keepsState = start.on_completion !== "delete";
  const config = kwargs.config as Fields;
  const metadata = { ...record.metadata, run_id: runId, thread_id: threadId, run_attempt: 1 };
  const execution: Execution = {
    input: start.input,
    command: commandOf(start.command),
    from: keepsState ? await startingPoint(host, threadId, kwargs) : undefined,
    runId,
    threadId,
    config: { ...config, configurable: toBothNames((config.configurable ?? {}) as Fields) },
    context: kwargs.context as Fields,
    metadata,
    interruptBefore: start.interrupt_before ?? [],
    interruptAfter: start.interrupt_after ?? [],
    recursionLimit: recursionLimit(config),
    modes: engineModes(modes),
    checkpoints: keepsState ? checkpointsFor(host, live) : undefined,
    signal: abort.signal,
    store: nodeStore(host),
    emit: (mode, namespace, data) => {
      if (!abort.signal.aborted) sink.take(mode, namespace, data);
    },
    sleep: (ms, signal) => host.alarms.sleep(ms, signal),
    now: () => host.clock.now(),
    uuid: () => host.ids.uuid(),
  };
  const { values, interrupts } = await graph.execute(execution);
  return { kind: "success", values, ...(interrupts ? { interrupts } : {}) };
}

function commandOf(command: LiveRun["start"]["command"]): Command | null {
  if (!command) return null;
  const { goto, ...rest } = command;
  return (goto === null || goto === undefined ? rest : { ...rest, goto }) as Command;
}

function recursionLimit(config: Fields): number {
  const limit = config.recursion_limit;
  if (limit === undefined || limit === null) return defaultRecursionLimit;
  if (typeof limit === "number" && limit >= 1) return limit;
  throw new GraphError("ValueError", `recursion_limit must be at least 1, and is ${String(limit)}.`);
}

/** The checkpoint that the caller names, else the thread's last one. */
async function startingPoint(host: AgentHost, threadId: string, kwargs: Fields): Promise<Checkpoint | undefined> {
  const configurable = (kwargs.config as Fields).configurable as Fields;
  const chosen = (kwargs.checkpoint as Fields | undefined)?.checkpoint_id ?? configurable.checkpoint_id;
  const latest = await findCheckpoint(host, threadId, {});
  if (typeof chosen !== "string" || chosen === latest?.id) return latest;
  const earlier = await findCheckpoint(host, threadId, { checkpoint_id: chosen });
  return earlier && reopened(earlier);
}

function checkpointsFor(host: AgentHost, { threadId, abort }: LiveRun): Execution["checkpoints"] {
  return {
    async put(checkpoint) {
      if (abort.signal.aborted) return;
      await host.state.checkpoints.put({ ...checkpoint, sequence: host.state.nextSequence(), threadId });
    },
    latest: async (namespace) => (await checkpointsOf(host, threadId, namespace))[0],
  };
}
