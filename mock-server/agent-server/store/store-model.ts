import type { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import type { Fields, NodeStore, StoredItem } from "../engine/contract.ts";
import type { ItemRecord } from "../persistence/records.ts";
import { itemFilter, scoreOf } from "./item-filter.ts";
import type { storeListNamespaces, storeSearch } from "./store-schemas.ts";

/** @throws {HttpError} 422 for a namespace without labels, or with an empty one or one with a period. */
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

/** An item as it is sent. */
export function viewItem({ namespace, key, value, created_at, updated_at }: ItemRecord): StoredItem {
  return { namespace, key, value, created_at, updated_at };
}

function expiry(host: AgentHost, ttlMinutes: number | null): number | null {
  return ttlMinutes === null ? null : host.clock.now() + ttlMinutes * 60_000;
}

/** Puts a value under a key; `ttl` is in minutes. @throws {HttpError} 409 for a key that the caller may not see. */
export function putItem(
  host: AgentHost,
  namespace: string[],
  key: string,
  value: Fields,
  ttl: number | null = null,
): void {
  checkNamespace(namespace);
  const now = host.timestamp();
  const isPut = host.state.items.put({
    namespace,
    key,
    value,
    created_at: now,
    updated_at: now,
    ttl,
    expires_at: expiry(host, ttl),
  });
  if (!isPut) throw new HttpError(409, `${JSON.stringify([namespace, key])} exists already.`);
}

/** The item under a key. With `refresh`, its time to live begins again. */
export function getItem(host: AgentHost, namespace: string[], key: string, refresh = true): ItemRecord | undefined {
  const item = host.state.items.get(namespace, key);
  if (item && refresh) prolong(host, item);
  return item;
}

function prolong(host: AgentHost, { namespace, key, ttl }: ItemRecord): void {
  const time = expiry(host, ttl);
  if (time !== null) host.state.items.expireAt(namespace, key, time);
}

/** The items under a prefix that pass the filter: the best first with a `query`, else the last written first. */
export function searchItems(
  host: AgentHost,
  search: z.output<typeof storeSearch>,
): (StoredItem & { score: number | null })[] {
  const { filter, limit, offset, query, refresh_ttl: refresh } = search;
  const prefix = search.namespace_prefix ?? [];
  const passes = itemFilter(filter ?? {});
  const known = beforeWildcard(prefix);
  const isPage = known.length === prefix.length && Object.keys(filter ?? {}).length === 0 && !query;
  let page: { item: ItemRecord; score: number | null }[];
  if (isPage) page = host.state.items.under(known, { limit, offset }).map((item) => ({ item, score: null }));
  else {
    const found = host.state.items
      .under(known)
      .filter((item) => startsWith(item.namespace, prefix) && passes(item.value));
    const scored = found.map((item) => ({ item, score: query ? scoreOf(query, item.value) : null }));
    if (query) scored.sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
    page = scored.slice(offset, offset + limit);
  }
  if (refresh ?? true) for (const { item } of page) prolong(host, item);
  return page.map(({ item, score }) => ({ ...viewItem(item), score }));
}

/** The namespaces that have items, in alphabetical order. */
export function listNamespaces(
  host: AgentHost,
  { prefix = [], suffix = [], max_depth: depth, limit, offset }: z.output<typeof storeListNamespaces>,
): string[][] {
  const found = host.state.items
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

/** The labels that are known. */
function beforeWildcard(prefix: readonly string[]): readonly string[] {
  const first = prefix.indexOf("*");
  return first < 0 ? prefix : prefix.slice(0, first);
}

/** `*` stands for any one label. */
function startsWith(namespace: readonly string[], prefix: readonly string[]): boolean {
  return (
    prefix.length <= namespace.length && prefix.every((label, index) => label === "*" || label === namespace[index])
  );
}

function endsWith(namespace: readonly string[], suffix: readonly string[]): boolean {
  return suffix.length <= namespace.length && startsWith(namespace.slice(namespace.length - suffix.length), suffix);
}

/** The store as nodes see it. */
export function nodeStore(host: AgentHost): NodeStore {
  return {
    async get(namespace, key) {
      const item = getItem(host, namespace, key);
      return item ? viewItem(item) : null;
    },
    put: async (namespace, key, value) => putItem(host, namespace, key, value),
    delete: async (namespace, key) => host.state.items.remove(namespace, key),
    search: async (prefix, { filter, limit = 10, offset = 0, query } = {}) =>
      searchItems(host, { namespace_prefix: prefix, filter, limit, offset, query }),
    listNamespaces: async ({ maxDepth, ...rest }) => listNamespaces(host, { ...rest, max_depth: maxDepth }),
  };
}
