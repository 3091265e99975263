import type { AgentHost } from "../agent-host.ts";
import type { CheckpointStore, Graph, StoredWrite } from "../engine/graph.ts";
import { checkpointKey } from "../state/agent-state.ts";
import type { CheckpointRecord, WriteRecord } from "../state/records.ts";

/** A thread's checkpoints of one engine, of one namespace or of all, the newest first. */
export async function checkpointsOf(
  host: AgentHost,
  threadId: string,
  engine: Graph["engine"],
  namespace?: string,
): Promise<CheckpointRecord[]> {
  const all = (await host.state.checkpoints.group(threadId)).filter(
    (checkpoint) => checkpoint.engine === engine && (namespace === undefined || checkpoint.namespace === namespace),
  );
  return all.sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** A thread's checkpoints as an engine reads and writes them. What is put once the signal is aborted is dropped. */
export function checkpointStore(
  host: AgentHost,
  threadId: string,
  engine: Graph["engine"],
  signal?: AbortSignal,
): CheckpointStore {
  const { checkpoints, writes } = host.state;
  return {
    async get(namespace, id) {
      if (id === undefined) return (await checkpointsOf(host, threadId, engine, namespace))[0];
      const found = await checkpoints.get(checkpointKey(threadId, id));
      return found?.namespace === namespace && found.engine === engine ? found : undefined;
    },
    list: (namespace) => checkpointsOf(host, threadId, engine, namespace),
    async put(checkpoint) {
      if (signal?.aborted) return;
      await checkpoints.put({ ...checkpoint, engine, sequence: host.state.nextSequence(), threadId });
    },
    writes: (namespace, checkpointId) => writesOf(host, threadId, namespace, checkpointId),
    async putWrites(added) {
      if (signal?.aborted) return;
      for (const write of added) {
        if (write.index >= 0 && (await hasWrite(host, threadId, write))) continue;
        await writes.put({ ...write, sequence: host.state.nextSequence(), threadId });
      }
    },
  };
}

/** The writes after a checkpoint; of marks of one kind, the last one. */
async function writesOf(
  host: AgentHost,
  threadId: string,
  namespace: string,
  checkpointId: string,
): Promise<WriteRecord[]> {
  const found = new Map<string, WriteRecord>();
  for (const write of await host.state.writes.group(threadId)) {
    if (write.checkpointId !== checkpointId || write.namespace !== namespace) continue;
    const place = `${write.taskId}/${write.index}`;
    const other = found.get(place);
    if (!other || other.sequence < write.sequence) found.set(place, write);
  }
  return [...found.values()];
}

async function hasWrite(host: AgentHost, threadId: string, write: StoredWrite): Promise<boolean> {
  const known = await writesOf(host, threadId, write.namespace, write.checkpointId);
  return known.some(({ taskId, index }) => taskId === write.taskId && index === write.index);
}

/** Forgets a thread's states. */
export async function removeCheckpoints(host: AgentHost, threadId: string): Promise<void> {
  await host.state.checkpoints.removeGroup(threadId);
  await host.state.writes.removeGroup(threadId);
}

/** Undoes what a run has put. */
export async function removeCheckpointsOfRun(host: AgentHost, threadId: string, runId: string): Promise<void> {
  const { checkpoints, writes } = host.state;
  const keptWrites = (await writes.group(threadId)).filter((write) => write.runId !== runId);
  for (const { id, runId: maker } of await checkpoints.group(threadId)) {
    if (maker === runId) await checkpoints.remove(checkpointKey(threadId, id));
  }
  await writes.removeGroup(threadId);
  for (const write of keptWrites) await writes.put(write);
}

export async function copyCheckpoints(host: AgentHost, from: string, to: string): Promise<void> {
  const { checkpoints, writes, nextSequence } = host.state;
  for (const checkpoint of await checkpoints.group(from)) {
    await checkpoints.put({ ...checkpoint, sequence: nextSequence(), threadId: to });
  }
  for (const write of await writes.group(from)) {
    await writes.put({ ...write, sequence: nextSequence(), threadId: to });
  }
}

/** Forgets all states but the last one of each namespace. */
export async function keepLatestCheckpoints(host: AgentHost, threadId: string): Promise<void> {
  const { checkpoints, writes } = host.state;
  const latest = new Map<string, CheckpointRecord>();
  for (const checkpoint of await checkpoints.group(threadId)) {
    const place = `${checkpoint.engine}/${checkpoint.namespace}`;
    const other = latest.get(place);
    if (!other || other.id < checkpoint.id) latest.set(place, checkpoint);
  }
  const kept = new Set([...latest.values()].map(({ id }) => id));
  const keptWrites = (await writes.group(threadId)).filter(({ checkpointId }) => kept.has(checkpointId));
  await removeCheckpoints(host, threadId);
  for (const checkpoint of latest.values()) await checkpoints.put({ ...checkpoint, parentId: null });
  for (const write of keptWrites) await writes.put(write);
}
