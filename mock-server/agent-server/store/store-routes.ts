import { z } from "zod";
import { agentRoute } from "../agent-route.ts";
import { invalid } from "../agent-schemas.ts";
import type { Fields } from "../engine/contract.ts";
import { ok } from "../responses.ts";
import {
  listNamespacesResponse,
  searchItemsResponse,
  storeDelete,
  storeItem,
  storeListNamespaces,
  storePut,
  storeSearch,
} from "./store-schemas.ts";

const tag = "Store";
const done = { description: "Done." };

export const storeRoutes = [
  agentRoute({
    id: "put_item",
    access: async ({ body }, { authorize }) => ({ body: await authorize("store", "put", { ...(body as Fields) }) }),
    method: "put",
    path: "/store/items",
    tag,
    summary: "Store a value under a key",
    description: "`ttl` is in minutes. `index` is accepted without effect: searches use all fields.",
    body: { schema: storePut, required: true },
    responses: { 204: done, 422: invalid },
    async handle({ items, body: { namespace, key, value, ttl } }) {
      items.put(namespace, key, value, ttl ?? undefined);
      return { status: 204 };
    },
  }),
  agentRoute({
    id: "get_item",
    async access({ query }, { authorize }) {
      const { namespace, ...rest } = query;
      const labels = (namespace as string[]).flatMap((part) => part.split("."));
      return { query: await authorize("store", "get", { ...rest, namespace: labels }) };
    },
    method: "get",
    path: "/store/items",
    tag,
    summary: "Read the value under a key",
    query: {
      key: { kind: "string", schema: z.string(), description: "The key." },
      namespace: {
        kind: "list",
        schema: z.array(z.string()).default([]),
        description: "The labels, repeated or joined with periods.",
      },
      refresh_ttl: {
        kind: "boolean",
        schema: z.boolean().optional(),
        description: "Whether to restart the item's time to live (default: true).",
      },
    },
    responses: { 200: { description: "The item, or null.", schema: storeItem.nullable() }, 422: invalid },
    async handle({ items, query: { key, namespace, refresh_ttl: refresh } }) {
      const labels = namespace.flatMap((part) => part.split("."));
      return ok(items.get(labels, key, refresh));
    },
  }),
  agentRoute({
    id: "delete_item",
    async access({ body }, { authorize }) {
      const { namespace, key } = body as Fields;
      return { body: await authorize("store", "delete", { namespace: namespace ?? [], key }) };
    },
    method: "delete",
    path: "/store/items",
    tag,
    summary: "Delete a key",
    body: { schema: storeDelete, required: true },
    responses: { 204: done, 422: invalid },
    async handle({ items, body: { namespace, key } }) {
      items.remove(namespace ?? [], key);
      return { status: 204 };
    },
  }),
  agentRoute({
    id: "search_items",
    async access({ body }, { authorize }) {
      const { namespace_prefix: prefix, ...rest } = body as Fields;
      const permitted = await authorize("store", "search", { ...rest, namespace: prefix ?? [] });
      return { body: { ...permitted, namespace_prefix: permitted.namespace } };
    },
    method: "post",
    path: "/store/items/search",
    tag,
    summary: "Search items",
    description:
      "A `query` sorts by the share of its words that an item contains (`score`). This server doesn't compute embeddings.",
    body: { schema: storeSearch, required: false },
    responses: { 200: { description: "One page of items.", schema: searchItemsResponse }, 422: invalid },
    handle: async ({ items, body }) => ok({ items: items.search(body) }),
  }),
  agentRoute({
    id: "list_namespaces",
    async access({ body }, { authorize }) {
      const { prefix, ...rest } = body as Fields;
      const permitted = await authorize("store", "list_namespaces", { ...rest, namespace: prefix ?? [] });
      return { body: { ...permitted, prefix: permitted.namespace } };
    },
    method: "post",
    path: "/store/namespaces",
    tag,
    summary: "List namespaces",
    body: { schema: storeListNamespaces, required: false },
    responses: { 200: { description: "One page of namespaces.", schema: listNamespacesResponse }, 422: invalid },
    handle: async ({ items, body }) => ok({ namespaces: items.namespaces(body) }),
  }),
];
