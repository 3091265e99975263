import type { z } from "zod";
import { HttpError } from "../../http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import { type CheckpointReference, commandOf, type Fields, GraphError, type StateChange } from "../engine/graph.ts";
import type { ThreadRecord, ThreadTtl } from "../state/records.ts";
import { checkpointStore } from "./checkpoints.ts";
import type { threadCreate, threadPatch, threadStateUpdate } from "./thread-schemas.ts";
import { type CheckpointChoice, findCheckpoint, graphOfThread, stateOf, viewCheckpoint } from "./thread-state.ts";

/** @throws {HttpError} 404 when there is no such thread. */
export function findThread(host: AgentHost, threadId: string): ThreadRecord {
  const found = host.state.threads.get(threadId);
  if (!found) throw new HttpError(404, `Thread with ID ${threadId} not found`);
  return found;
}

/** A thread as it is sent. */
export function viewThread({ values, interrupts, error, ttl, ...record }: ThreadRecord): Fields {
  return {
    ...record,
    ...(values === null ? {} : { values, interrupts }),
    ...(error === null ? {} : { error }),
    ...(ttl === null ? {} : { ttl }),
  };
}

/** Changes a thread and puts off its expiry. Does nothing for a thread that is gone. */
export function changeThread(
  host: AgentHost,
  threadId: string,
  change: (thread: ThreadRecord) => Partial<ThreadRecord>,
): ThreadRecord | undefined {
  const before = host.state.threads.get(threadId);
  if (!before) return undefined;
  const changes = { updated_at: host.timestamp(), ttl: before.ttl, ...change(before) };
  if (changes.ttl) changes.ttl = timeToLive(host, changes.ttl.strategy, changes.ttl.ttl_minutes);
  const after = host.state.threads.update(threadId, changes);
  if (after?.ttl) host.expiry.expireAt(after.ttl.expires_at);
  return after;
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

/** @throws {HttpError} 409 for an id in use, unless that is to be ignored; 422 for supersteps that don't fit the graph. */
export async function createThread(host: AgentHost, body: z.output<typeof threadCreate>): Promise<ThreadRecord> {
  const threadId = body.thread_id?.toLowerCase() ?? host.ids.uuid();
  const existing = body.if_exists === "do_nothing" ? host.state.threads.get(threadId) : undefined;
  if (existing) return existing;
  const thread = insertThread(host, threadId, body.metadata ?? {}, ttlFrom(host, body.ttl));
  if (!body.supersteps) return thread;
  try {
    const supersteps = body.supersteps.map(({ updates }) =>
      updates.map(({ values, command, as_node: asNode }) => ({ values, asNode, command: commandOf(command) })),
    );
    await applyUpdate(host, thread, {}, supersteps);
  } catch (error) {
    await host.runs.deleteThread(threadId);
    throw error;
  }
  return findThread(host, threadId);
}

/** Adds a thread that nothing has run on. @throws {HttpError} 409 for an id in use. */
export function insertThread(
  host: AgentHost,
  threadId: string,
  metadata: Fields,
  ttl: ThreadTtl | null = null,
): ThreadRecord {
  const now = host.timestamp();
  const thread: ThreadRecord = {
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
  if (!host.state.threads.insert(thread)) throw new HttpError(409, `Thread ${threadId} exists already.`);
  if (ttl) host.expiry.expireAt(ttl.expires_at);
  return thread;
}

/** Merges the metadata and sets the time to live. @throws {HttpError} 404 when there is no such thread. */
export function patchThread(host: AgentHost, threadId: string, body: z.output<typeof threadPatch>): ThreadRecord {
  const changed = changeThread(host, threadId, (thread) => ({
    metadata: { ...thread.metadata, ...body.metadata },
    ...(body.ttl === undefined ? {} : { ttl: ttlFrom(host, body.ttl) }),
  }));
  return changed ?? findThread(host, threadId);
}

/** A new thread with the state and the history of another. */
export function copyThread(host: AgentHost, threadId: string): ThreadRecord {
  const source = findThread(host, threadId);
  const copyId = host.ids.uuid();
  const now = host.timestamp();
  const copy: ThreadRecord = {
    ...source,
    thread_id: copyId,
    created_at: now,
    updated_at: now,
    state_updated_at: now,
    metadata: { ...source.metadata, ...host.caller?.copiedMetadata, thread_id: copyId },
    status: source.status === "interrupted" ? "interrupted" : "idle",
    error: null,
    ttl: null,
  };
  host.state.transaction(() => {
    host.state.threads.insert(copy);
    host.state.checkpoints.copy(threadId, copyId);
  });
  return copy;
}

/** Deletes a thread, or all of it but its last state. Returns whether there was such a thread. */
export async function pruneThread(
  host: AgentHost,
  threadId: string,
  strategy: ThreadTtl["strategy"],
): Promise<boolean> {
  if (!host.state.threads.get(threadId)) return false;
  if (strategy === "delete") {
    await host.runs.deleteThread(threadId);
    return true;
  }
  host.state.transaction(() => {
    host.state.checkpoints.keepLatest(threadId);
    host.state.threads.update(threadId, { ttl: null });
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
  const thread = findThread(host, threadId);
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
      from: findCheckpoint(host, threadId, graph.engine, choice),
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
  changeThread(host, threadId, () => ({
    values,
    interrupts: {},
    status: "idle",
    error: null,
    state_updated_at: host.timestamp(),
  }));
  return viewCheckpoint(threadId, id, namespace);
}
