import type { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import { timestamp } from "../../kit/timestamp.ts";
import type { AgentRuntime } from "../agent-runtime.ts";
import type { Fields, NodeStore, StoredItem } from "../engine/contract.ts";
import type { ItemTable } from "../persistence/item-table.ts";
import type { ItemRecord } from "../persistence/records.ts";
import type { CurrentProject, ItemTtlSettings } from "../project-settings.ts";
import { sweepAfter } from "../sweeps.ts";
import { itemFilter, scoreOf } from "./item-filter.ts";
import type { storeListNamespaces, storeSearch } from "./store-schemas.ts";

/** @throws {HttpError} 422 for a namespace without labels, or with a label that is empty or has a period. */
function checkNamespace(namespace: readonly string[]): void {
  if (namespace.length === 0) throw new HttpError(422, "The namespace needs at least one label.");
  const bad = namespace.find((label) => label === "" || label.includes("."));
  if (bad !== undefined) {
    throw new HttpError(
      422,
      `Namespace labels can't be empty or contain periods, as "${bad}" in ${namespace.join("/")}.`,
    );
  }
}

/** An item as clients see it. */
function viewItem({ namespace, key, value, created_at, updated_at }: ItemRecord): StoredItem {
  return { namespace, key, value, created_at, updated_at };
}

interface ItemsDependencies extends Pick<AgentRuntime, "clock"> {
  /** Limited to what the caller may see. */
  items: ItemTable;
  project: CurrentProject;
}

/** The items of the key-value store that a caller may see. */
export class Items {
  readonly #dependencies: ItemsDependencies;

  constructor(dependencies: ItemsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Stores a value under a key; `ttl` is in minutes, by default the project's.
   * @throws {HttpError} 409 for a key that is hidden from the caller.
   */
  put(namespace: string[], key: string, value: Fields, ttl = this.#ttl.minutes): void {
    const { items, clock } = this.#dependencies;
    checkNamespace(namespace);
    const now = timestamp(clock.now());
    const times = { created_at: now, updated_at: now, ttl, expires_at: this.#expiry(ttl) };
    const isPut = items.put({ namespace, key, value, ...times });
    if (!isPut) throw new HttpError(409, `${JSON.stringify([namespace, key])} exists already.`);
  }

  /** The item under a key. With `refresh`, its time to live starts again. */
  get(namespace: string[], key: string, refresh = this.#ttl.refreshOnRead): StoredItem | null {
    const item = this.#dependencies.items.get(namespace, key);
    if (item && refresh) this.#prolong(item);
    return item ? viewItem(item) : null;
  }

  remove(namespace: string[], key: string): void {
    this.#dependencies.items.remove(namespace, key);
  }

  /** Removes all visible items. */
  clear(): void {
    this.#dependencies.items.clear();
  }

  /** The items under a prefix that pass the filter: best match first with a `query`, otherwise last written first. */
  search(search: z.output<typeof storeSearch>): (StoredItem & { score: number | null })[] {
    const { items } = this.#dependencies;
    const { filter, limit, offset, query, refresh_ttl: refresh } = search;
    const prefix = search.namespace_prefix ?? [];
    const passes = itemFilter(filter ?? {});
    const known = beforeWildcard(prefix);
    const isPage = known.length === prefix.length && Object.keys(filter ?? {}).length === 0 && !query;
    let page: { item: ItemRecord; score: number | null }[];
    if (isPage) page = items.under(known, { limit, offset }).map((item) => ({ item, score: null }));
    else {
      const found = items.under(known).filter((item) => startsWith(item.namespace, prefix) && passes(item.value));
      const scored = found.map((item) => ({ item, score: query ? scoreOf(query, item.value) : null }));
      if (query) scored.sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
      page = scored.slice(offset, offset + limit);
    }
    if (refresh ?? this.#ttl.refreshOnRead) for (const { item } of page) this.#prolong(item);
    return page.map(({ item, score }) => ({ ...viewItem(item), score }));
  }

  /** The namespaces with items, in alphabetical order. */
  namespaces({
    prefix = [],
    suffix = [],
    max_depth: depth,
    limit,
    offset,
  }: z.output<typeof storeListNamespaces>): string[][] {
    const found = this.#dependencies.items
      .namespaces(beforeWildcard(prefix))
      .filter((namespace) => startsWith(namespace, prefix) && endsWith(namespace, suffix));
    const unique = new Map(
      found.map((namespace) => {
        const cut = depth === undefined ? namespace : namespace.slice(0, depth);
        return [JSON.stringify(cut), cut];
      }),
    );
    const sorted = [...unique.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, namespace]) => namespace);
    return sorted.slice(offset, offset + limit);
  }

  get #ttl(): ItemTtlSettings {
    return this.#dependencies.project.settings.itemTtl;
  }

  #expiry(ttlMinutes: number | null): number | null {
    if (ttlMinutes === null) return null;
    return sweepAfter(this.#dependencies.clock.now() + ttlMinutes * 60_000, this.#ttl.sweepMinutes);
  }

  #prolong({ namespace, key, ttl }: ItemRecord): void {
    const time = this.#expiry(ttl);
    if (time !== null) this.#dependencies.items.expireAt(namespace, key, time);
  }
}

/** The store as nodes use it. */
export function nodeStore(items: Items): NodeStore {
  return {
    get: async (namespace, key) => items.get(namespace, key),
    put: async (namespace, key, value) => items.put(namespace, key, value),
    delete: async (namespace, key) => items.remove(namespace, key),
    search: async (prefix, { filter, limit = 10, offset = 0, query } = {}) =>
      items.search({ namespace_prefix: prefix, filter, limit, offset, query }),
    listNamespaces: async ({ maxDepth, ...rest }) => items.namespaces({ ...rest, max_depth: maxDepth }),
  };
}

/** The labels before the first wildcard. */
function beforeWildcard(prefix: readonly string[]): readonly string[] {
  const first = prefix.indexOf("*");
  return first < 0 ? prefix : prefix.slice(0, first);
}

/** Whether a namespace begins with a prefix, in which `*` matches any one label. */
function startsWith(namespace: readonly string[], prefix: readonly string[]): boolean {
  return (
    prefix.length <= namespace.length && prefix.every((label, index) => label === "*" || label === namespace[index])
  );
}

function endsWith(namespace: readonly string[], suffix: readonly string[]): boolean {
  return suffix.length <= namespace.length && startsWith(namespace.slice(namespace.length - suffix.length), suffix);
}
