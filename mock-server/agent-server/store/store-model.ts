import type { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import type { Fields, NodeStore, StoredItem } from "../engine/graph.ts";
import { itemKey } from "../state/agent-state.ts";
import type { ItemRecord } from "../state/records.ts";
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

const isLive = (host: AgentHost, item: ItemRecord) =>
  item.expires_at === null || Date.parse(item.expires_at) > host.clock.now();

function expiry(host: AgentHost, ttlMinutes: number | null): string | null {
  return ttlMinutes === null ? null : new Date(host.clock.now() + ttlMinutes * 60_000).toISOString();
}

/** Puts a value under a key; `ttl` is in minutes. */
export async function putItem(
  host: AgentHost,
  namespace: string[],
  key: string,
  value: Fields,
  ttl: number | null = null,
): Promise<void> {
  checkNamespace(namespace);
  const before = await getItem(host, namespace, key, false);
  const now = host.timestamp();
  await host.state.items.put({
    sequence: before?.sequence ?? host.state.nextSequence(),
    namespace,
    key,
    value,
    created_at: before?.created_at ?? now,
    updated_at: now,
    ttl,
    expires_at: expiry(host, ttl),
  });
}

/** The item under a key. With `refresh`, its time to live begins anew. */
export async function getItem(
  host: AgentHost,
  namespace: string[],
  key: string,
  refresh = true,
): Promise<ItemRecord | undefined> {
  const id = itemKey(namespace, key);
  const item = await host.state.items.get(id);
  if (!item) return undefined;
  if (!isLive(host, item)) {
    await host.state.items.remove(id);
    return undefined;
  }
  if (refresh && item.ttl !== null) await host.state.items.put({ ...item, expires_at: expiry(host, item.ttl) });
  return item;
}

export async function deleteItem(host: AgentHost, namespace: string[], key: string): Promise<void> {
  await host.state.items.remove(itemKey(namespace, key));
}

/** The items under a prefix that pass the filter: the best first with a `query`, else the last written first. */
export async function searchItems(
  host: AgentHost,
  search: z.output<typeof storeSearch>,
): Promise<(StoredItem & { score: number | null })[]> {
  const { filter, limit, offset, query, refresh_ttl: refresh } = search;
  const prefix = search.namespace_prefix ?? [];
  const passes = itemFilter(filter ?? {});
  const { rows } = await host.state.items.find({
    accept: (item) => isLive(host, item) && startsWith(item.namespace, prefix) && passes(item.value),
    compare: (a, b) => b.updated_at.localeCompare(a.updated_at) || b.sequence - a.sequence,
  });
  const scored = rows.map((item) => ({ item, score: query ? scoreOf(query, item.value) : null }));
  if (query) scored.sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
  const page = scored.slice(offset, offset + limit);
  if (refresh ?? true) for (const { item } of page) await getItem(host, item.namespace, item.key);
  return page.map(({ item, score }) => ({ ...viewItem(item), score }));
}

/** The namespaces that have items, in alphabetical order. */
export async function listNamespaces(
  host: AgentHost,
  { prefix = [], suffix = [], max_depth: depth, limit, offset }: z.output<typeof storeListNamespaces>,
): Promise<string[][]> {
  const { rows } = await host.state.items.find({
    accept: (item) => isLive(host, item) && startsWith(item.namespace, prefix) && endsWith(item.namespace, suffix),
  });
  const unique = new Map(
    rows.map(({ namespace }) => {
      const cut = depth === undefined ? namespace : namespace.slice(0, depth);
      return [JSON.stringify(cut), cut];
    }),
  );
  const sorted = [...unique.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, namespace]) => namespace);
  return sorted.slice(offset, offset + limit);
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
      const item = await getItem(host, namespace, key);
      return item ? viewItem(item) : null;
    },
    put: (namespace, key, value) => putItem(host, namespace, key, value),
    delete: (namespace, key) => deleteItem(host, namespace, key),
    search: (prefix, { filter, limit = 10, offset = 0, query } = {}) =>
      searchItems(host, { namespace_prefix: prefix, filter, limit, offset, query }),
    listNamespaces: ({ maxDepth, ...rest }) => listNamespaces(host, { ...rest, max_depth: maxDepth }),
  };
}
