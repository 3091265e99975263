import { z } from "zod";
import { agentRoute } from "../agent-route.ts";
import { invalid } from "../agent-schemas.ts";
import type { Fields } from "../engine/contract.ts";
import { ok } from "../responses.ts";
import { getItem, listNamespaces, putItem, searchItems, viewItem } from "./store-model.ts";
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
    access: async ({ body }, { ask }) => ({ body: await ask("store", "put", { ...(body as Fields) }) }),
    method: "put",
    path: "/store/items",
    tag,
    summary: "Put a value under a key",
    description: "`ttl` is in minutes. `index` is accepted and has no effect: search takes all fields.",
    body: { schema: storePut, required: true },
    responses: { 204: done, 422: invalid },
    async handle({ host, body: { namespace, key, value, ttl } }) {
      putItem(host, namespace, key, value, ttl ?? null);
      return { status: 204 };
    },
  }),
  agentRoute({
    id: "get_item",
    async access({ query }, { ask }) {
      const { namespace, ...rest } = query;
      const labels = (namespace as string[]).flatMap((part) => part.split("."));
      return { query: await ask("store", "get", { ...rest, namespace: labels }) };
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
        description: "Whether its time to live begins anew (true).",
      },
    },
    responses: { 200: { description: "The item, or null.", schema: storeItem.nullable() }, 422: invalid },
    async handle({ host, query: { key, namespace, refresh_ttl: refresh } }) {
      const labels = namespace.flatMap((part) => part.split("."));
      const item = getItem(host, labels, key, refresh ?? true);
      return ok(item ? viewItem(item) : null);
    },
  }),
  agentRoute({
    id: "delete_item",
    async access({ body }, { ask }) {
      const { namespace, key } = body as Fields;
      return { body: await ask("store", "delete", { namespace: namespace ?? [], key }) };
    },
    method: "delete",
    path: "/store/items",
    tag,
    summary: "Delete a key",
    body: { schema: storeDelete, required: true },
    responses: { 204: done, 422: invalid },
    async handle({ host, body: { namespace, key } }) {
      host.state.items.remove(namespace ?? [], key);
      return { status: 204 };
    },
  }),
  agentRoute({
    id: "search_items",
    async access({ body }, { ask }) {
      const { namespace_prefix: prefix, ...rest } = body as Fields;
      const asked = await ask("store", "search", { ...rest, namespace: prefix ?? [] });
      return { body: { ...asked, namespace_prefix: asked.namespace } };
    },
    method: "post",
    path: "/store/items/search",
    tag,
    summary: "Search items",
    description:
      "A `query` sorts by the share of its words that an item has (`score`): a stand-in for embeddings, which this server doesn't compute.",
    body: { schema: storeSearch, required: false },
    responses: { 200: { description: "One page of items.", schema: searchItemsResponse }, 422: invalid },
    handle: async ({ host, body }) => ok({ items: searchItems(host, body) }),
  }),
  agentRoute({
    id: "list_namespaces",
    async access({ body }, { ask }) {
      const { prefix, ...rest } = body as Fields;
      const asked = await ask("store", "list_namespaces", { ...rest, namespace: prefix ?? [] });
      return { body: { ...asked, prefix: asked.namespace } };
    },
    method: "post",
    path: "/store/namespaces",
    tag,
    summary: "List namespaces",
    body: { schema: storeListNamespaces, required: false },
    responses: { 200: { description: "One page of namespaces.", schema: listNamespacesResponse }, 422: invalid },
    handle: async ({ host, body }) => ok({ namespaces: listNamespaces(host, body) }),
  }),
];
