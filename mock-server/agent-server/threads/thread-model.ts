import type { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import type { Fields } from "../engine/contract.ts";
import type { ThreadRecord, ThreadTtl } from "../persistence/records.ts";
import type { threadCreate, threadPatch } from "./thread-schemas.ts";

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

/** A time to live as clients send it. */
export function ttlFrom(host: AgentHost, input: TtlInput): ThreadTtl | null {
  if (typeof input === "number") return timeToLive(host, "delete", input);
  if (input?.ttl === undefined) return null;
  return timeToLive(host, input.strategy, input.ttl);
}

function timeToLive(host: AgentHost, strategy: ThreadTtl["strategy"], minutes: number): ThreadTtl {
  const expires = new Date(host.clock.now() + minutes * 60_000).toISOString();
  return { strategy, ttl_minutes: minutes, expires_at: expires };
}

/** A thread that nothing has run on. */
export function newThread(
  host: AgentHost,
  threadId: string,
  metadata: Fields,
  ttl: ThreadTtl | null = null,
): ThreadRecord {
  const now = host.timestamp();
  return {
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
}

/** @throws {HttpError} 409 for an id in use. */
export function addThread(host: AgentHost, thread: ThreadRecord): void {
  if (!host.state.threads.insert(thread)) throw threadInUse(thread.thread_id);
  if (thread.ttl) host.expiry.expireAt(thread.ttl.expires_at);
}

export function threadInUse(threadId: string): HttpError {
  return new HttpError(409, `Thread ${threadId} exists already.`);
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
