import type { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import { type CheckpointReference, commandOf, type Fields, GraphError, type StateChange } from "../engine/graph.ts";
import { contains } from "../paging.ts";
import type { ThreadRecord, ThreadTtl } from "../state/records.ts";
import { checkpointStore, copyCheckpoints, keepLatestCheckpoints } from "./checkpoints.ts";
import type { threadCreate, threadPatch, threadStateUpdate } from "./thread-schemas.ts";
import { type CheckpointChoice, findCheckpoint, graphOfThread, stateOf, viewCheckpoint } from "./thread-state.ts";

/** @throws {HttpError} 404 when there is no such thread. */
export async function findThread(host: AgentHost, threadId: string): Promise<ThreadRecord> {
  const found = await host.state.threads.get(threadId);
  if (!found) throw new HttpError(404, `Thread with ID ${threadId} not found`);
  return found;
}

/** A thread as it is sent. */
export function viewThread({ sequence: _, values, interrupts, error, ttl, ...record }: ThreadRecord): Fields {
  return {
    ...record,
    ...(values === null ? {} : { values, interrupts }),
    ...(error === null ? {} : { error }),
    ...(ttl === null ? {} : { ttl }),
  };
}

/** Changes a thread, with nothing else changing it meanwhile, and puts off its expiry. Does nothing for a thread that is gone. */
export async function changeThread(
  host: AgentHost,
  threadId: string,
  change: (thread: ThreadRecord) => Partial<ThreadRecord>,
): Promise<ThreadRecord | undefined> {
  return host.locks.run(`thread/${threadId}`, async () => {
    const before = await host.state.threads.get(threadId);
    if (!before) return undefined;
    const after: ThreadRecord = { ...before, updated_at: host.timestamp(), ...change(before) };
    if (after.ttl) after.ttl = timeToLive(host, after.ttl.strategy, after.ttl.ttl_minutes);
    await host.state.threads.put(after);
    if (after.ttl && after.ttl.expires_at !== before.ttl?.expires_at) expireLater(host, threadId, after.ttl);
    return after;
  });
}

type TtlInput = z.output<typeof threadCreate>["ttl"];

function ttlFrom(host: AgentHost, input: TtlInput): ThreadTtl | null {
  if (typeof input === "number") return timeToLive(host, "delete", input);
  if (input?.ttl === undefined) return null;
  return timeToLive(host, input.strategy, input.ttl);
}

function timeToLive(host: AgentHost, strategy: ThreadTtl["strategy"], minutes: number): ThreadTtl {
  const expires = new Date(host.clock.now() + minutes * 60_000).toISOString();
  return { strategy, ttl_minutes: minutes, expires_at: expires };
}

function expireLater(host: AgentHost, threadId: string, { expires_at: expiresAt }: ThreadTtl): void {
  host.alarms.set(Date.parse(expiresAt), () => {
    host.inBackground(async () => {
      const thread = await host.state.threads.get(threadId);
      if (thread?.ttl?.expires_at !== expiresAt) return;
      if (host.runs.isBusy(threadId)) await changeThread(host, threadId, () => ({}));
      else await pruneThread(host, threadId, thread.ttl.strategy);
    });
  });
}

/** @throws {HttpError} 409 for an id in use, unless that is to be ignored; 422 for supersteps that don't fit the graph. */
export async function createThread(host: AgentHost, body: z.output<typeof threadCreate>): Promise<ThreadRecord> {
  const threadId = body.thread_id?.toLowerCase() ?? host.ids.uuid();
  const created = await host.locks.run(`thread/${threadId}`, async () => {
    const existing = await host.state.threads.get(threadId);
    if (existing && body.if_exists === "do_nothing") return { thread: existing, isNew: false };
    if (existing) throw new HttpError(409, `Thread ${threadId} exists already.`);
    return { thread: await insertThread(host, threadId, body.metadata ?? {}, ttlFrom(host, body.ttl)), isNew: true };
  });
  if (!created.isNew || !body.supersteps) return created.thread;
  try {
    const supersteps = body.supersteps.map(({ updates }) =>
      updates.map(({ values, command, as_node: asNode }) => ({ values, asNode, command: commandOf(command) })),
    );
    await applyUpdate(host, created.thread, {}, supersteps);
  } catch (error) {
    await host.runs.deleteThread(threadId);
    throw error;
  }
  return findThread(host, threadId);
}

/** Adds a thread that nothing has run on. */
export async function insertThread(
  host: AgentHost,
  threadId: string,
  metadata: Fields,
  ttl: ThreadTtl | null = null,
): Promise<ThreadRecord> {
  const now = host.timestamp();
  const thread: ThreadRecord = {
    sequence: host.state.nextSequence(),
    thread_id: threadId,
    created_at: now,
    updated_at: now,
    state_updated_at: now,
    metadata,
    config: {},
    status: "idle",
    values: null,
    interrupts: {},
    error: null,
    ttl,
  };
  await host.state.threads.put(thread);
  if (ttl) expireLater(host, threadId, ttl);
  return thread;
}

/** Merges the metadata and sets the time to live. */
export async function patchThread(
  host: AgentHost,
  threadId: string,
  body: z.output<typeof threadPatch>,
): Promise<ThreadRecord> {
  const changed = await changeThread(host, threadId, (thread) => ({
    metadata: { ...thread.metadata, ...body.metadata },
    ...(body.ttl === undefined ? {} : { ttl: ttlFrom(host, body.ttl) }),
  }));
  return changed ?? findThread(host, threadId);
}

/** A new thread with the state and the history of another. */
export async function copyThread(host: AgentHost, threadId: string): Promise<ThreadRecord> {
  const source = await findThread(host, threadId);
  const copyId = host.ids.uuid();
  const now = host.timestamp();
  await copyCheckpoints(host, threadId, copyId);
  const copy: ThreadRecord = {
    ...source,
    sequence: host.state.nextSequence(),
    thread_id: copyId,
    created_at: now,
    updated_at: now,
    state_updated_at: now,
    metadata: { ...source.metadata, ...host.caller?.copiedMetadata, thread_id: copyId },
    status: source.status === "interrupted" ? "interrupted" : "idle",
    error: null,
    ttl: null,
  };
  await host.state.threads.put(copy);
  return copy;
}

/** Deletes a thread, or all of it but its last state. Returns whether there was such a thread. */
export async function pruneThread(
  host: AgentHost,
  threadId: string,
  strategy: ThreadTtl["strategy"],
): Promise<boolean> {
  if (!(await host.state.threads.get(threadId))) return false;
  if (strategy === "delete") {
    await host.runs.deleteThread(threadId);
    return true;
  }
  await keepLatestCheckpoints(host, threadId);
  await host.locks.run(`thread/${threadId}`, async () => {
    const thread = await host.state.threads.get(threadId);
    if (thread) await host.state.threads.put({ ...thread, ttl: null });
  });
  return true;
}

/**
 * Changes the state of a thread as if a node had done it.
 * @throws {HttpError} 409 while a run is under way, 422 for a thread without a graph, an unknown node or values that don't fit.
 */
export async function updateState(
  host: AgentHost,
  threadId: string,
  body: z.output<typeof threadStateUpdate>,
): Promise<CheckpointReference> {
  const thread = await findThread(host, threadId);
  if (host.runs.isBusy(threadId)) throw new HttpError(409, `Thread ${threadId} is busy: a run is under way.`);
  const chosen =
    body.checkpoint_id === undefined ? body.checkpoint : { ...body.checkpoint, checkpoint_id: body.checkpoint_id };
  const updates = Array.isArray(body.values) ? body.values : [body.values];
  const supersteps = updates.map((values) => [{ values, asNode: body.as_node }]);
  return applyUpdate(host, thread, chosen ?? {}, supersteps);
}

async function applyUpdate(
  host: AgentHost,
  thread: ThreadRecord,
  choice: CheckpointChoice,
  supersteps: StateChange[][],
): Promise<CheckpointReference> {
  const { thread_id: threadId } = thread;
  const graph = graphOfThread(host, thread);
  if (!graph) {
    throw new HttpError(422, `Thread ${threadId} has no graph: run one on it, or set "graph_id" in its metadata.`);
  }
  const metadata = { graph_id: graph.id, thread_id: threadId };
  const { namespace, id } = await graph
    .update({
      threadId,
      checkpoints: checkpointStore(host, threadId, graph.engine),
      from: await findCheckpoint(host, threadId, graph.engine, choice),
      supersteps,
      metadata,
      configurable: metadata,
      now: () => host.clock.now(),
      uuid: () => host.ids.uuid(),
    })
    .catch((error: unknown) => {
      throw error instanceof GraphError ? new HttpError(422, error.message) : error;
    });
  const { values } = await stateOf(host, thread, { checkpoint_ns: "" }, false);
  await changeThread(host, threadId, () => ({
    values,
    interrupts: {},
    status: "idle",
    error: null,
    state_updated_at: host.timestamp(),
  }));
  return viewCheckpoint(threadId, id, namespace);
}

/** Whether a thread passes a search. */
export function threadFilter({
  ids,
  metadata,
  values,
  status,
}: {
  ids?: string[] | undefined;
  metadata?: Fields | undefined;
  values?: Fields | undefined;
  status?: string | undefined;
}): (thread: ThreadRecord) => boolean {
  const wanted = ids && new Set(ids.map((id) => id.toLowerCase()));
  return (thread) =>
    (wanted === undefined || wanted.has(thread.thread_id)) &&
    (status === undefined || thread.status === status) &&
    (metadata === undefined || contains(thread.metadata, metadata)) &&
    (values === undefined || contains(thread.values ?? {}, values));
}
