import { requestWithoutSocket } from "./inject.ts";
import type { RequestContext } from "./request-context.ts";

/** What a request has instead of what its client sent. */
export interface RequestChanges {
  headers: readonly (readonly [name: string, value: string])[];
  /** The query, with its question mark if it isn't empty. */
  search: string;
  /** `null`: the client's. */
  body: Uint8Array | null;
}

/** A request with changes, which is aborted with the original. */
export function changedRequest(original: RequestContext, { headers, search, body }: RequestChanges): RequestContext {
  const { method, rawPath, requestId, signal } = original;
  const changed = requestWithoutSocket(method, rawPath + search, Object.fromEntries(headers), body ?? "");
  if (body === null) changed.readBytes = (...limits) => original.readBytes(...limits);
  changed.requestId = requestId;
  if (signal.aborted) changed.abort();
  signal.addEventListener("abort", () => changed.abort(), { once: true });
  return changed;
}
