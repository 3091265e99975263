import type { z } from "zod";
import type { AgentHost } from "../agent-host.ts";
import { commandOf } from "../engine/contract.ts";
import type { ThreadRecord } from "../persistence/records.ts";
import { prepareUpdate } from "./state-update.ts";
import { addThread, findThread, newThread, threadInUse, ttlFrom } from "./thread-model.ts";
import type { threadCreate } from "./thread-schemas.ts";

/** @throws {HttpError} 409 for an id in use, unless that is to be ignored; 422 for supersteps that don't fit the graph. */
export async function createThread(host: AgentHost, body: z.output<typeof threadCreate>): Promise<ThreadRecord> {
  const threadId = body.thread_id?.toLowerCase() ?? host.ids.uuid();
  const existing = host.state.threads.get(threadId);
  if (existing && body.if_exists === "do_nothing") return existing;
  if (existing) throw threadInUse(threadId);
  const thread = newThread(host, threadId, body.metadata ?? {}, ttlFrom(host, body.ttl));
  if (!body.supersteps) {
    addThread(host, thread);
    return thread;
  }
  const supersteps = body.supersteps.map(({ updates }) =>
    updates.map(({ values, command, as_node: asNode }) => ({ values, asNode, command: commandOf(command) })),
  );
  const update = await prepareUpdate(host, thread, {}, supersteps);
  host.state.transaction(() => {
    addThread(host, thread);
    update.keep();
  });
  return findThread(host, threadId);
}
