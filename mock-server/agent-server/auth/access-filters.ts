import type { Fields } from "../engine/contract.ts";
import type { AuthResource } from "./auth-handlers.ts";

/** The access filters that auth handlers add to one request. */
export class AccessFilters {
  /** Metadata for the threads that the request copies. */
  copiedMetadata: Fields = {};
  readonly #filters = new Map<AuthResource, Fields[]>();

  /** Adds a filter for a kind of resource. */
  limit(resource: AuthResource, filter: Fields | null): void {
    if (filter === null || Object.keys(filter).length === 0) return;
    this.#filters.set(resource, [...this.of(resource), filter]);
  }

  isLimited(resource: AuthResource): boolean {
    return this.#filters.has(resource);
  }

  /** The filters that every record of a kind must pass. */
  of(resource: AuthResource): readonly Fields[] {
    return this.#filters.get(resource) ?? [];
  }
}
