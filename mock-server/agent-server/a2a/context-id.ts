import { uuidOfName } from "../../../core/client/wire/agent-server.ts";
import type { AuthUser } from "../auth/auth-user.ts";
import { isUuid } from "../engine/identifiers.ts";
import type { RunRecord } from "../persistence/records.ts";

/**
 * The thread of a context: a UUID is that of the thread itself. Clients may choose other ids, each of which is a thread
 * of the caller's.
 */
export function threadOfContext(user: AuthUser | null, contextId: string): string {
  if (isUuid(contextId)) return contextId.toLowerCase();
  return uuidOfName(JSON.stringify(["a2a context", user?.identity ?? null, contextId]));
}

/** Metadata of a new thread with a context's id that isn't its own. */
export function contextMetadata(contextId: string): { a2a_context_id?: string } {
  return contextId === "" || isUuid(contextId) ? {} : { a2a_context_id: contextId };
}

/** The id of the context that a run belongs to: a copy of a thread also has the metadata, but is another context. */
export function contextOf({ thread_id: threadId, metadata, user }: RunRecord): string {
  const { a2a_context_id: id } = metadata;
  return typeof id === "string" && threadOfContext(user, id) === threadId ? id : threadId;
}
