import type { Fields } from "../engine/contract.ts";
import type { AuthResource } from "./auth-handlers.ts";

/** What the handlers have limited a request to. */
export class AccessFilters {
  /** Metadata for the threads that the request makes of others. */
  copiedMetadata: Fields = {};
  readonly #filters = new Map<AuthResource, Fields[]>();

  /** Limits the request further. */
  limit(resource: AuthResource, filter: Fields | null): void {
    if (filter === null || Object.keys(filter).length === 0) return;
    this.#filters.set(resource, [...this.of(resource), filter]);
  }

  isLimited(resource: AuthResource): boolean {
    return this.#filters.has(resource);
  }

  /** The filters that each row of a kind must pass. */
  of(resource: AuthResource): readonly Fields[] {
    return this.#filters.get(resource) ?? [];
  }
}
