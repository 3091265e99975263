import { z } from "zod";
import { fields, lifetime, named, timestamp } from "../agent-schemas.ts";

const namespace = z.array(z.string());

export const storePut = named(
  "StorePutRequest",
  z.object({
    namespace,
    key: z.string(),
    value: fields,
    index: z.union([z.literal(false), z.array(z.string())]).nullish(),
    ttl: lifetime.nullish(),
  }),
);
export const storeDelete = named("StoreDeleteRequest", z.object({ namespace: namespace.optional(), key: z.string() }));
export const storeSearch = named(
  "StoreSearchRequest",
  z.object({
    namespace_prefix: namespace.nullish(),
    filter: fields.nullish(),
    limit: z.int().min(1).max(1000).default(10),
    offset: z.int().min(0).default(0),
    query: z.string().nullish(),
    refresh_ttl: z.boolean().nullish(),
  }),
);
export const storeListNamespaces = named(
  "StoreListNamespacesRequest",
  z.object({
    prefix: namespace.optional(),
    suffix: namespace.optional(),
    max_depth: z.int().min(1).optional(),
    limit: z.int().min(1).max(1000).default(100),
    offset: z.int().min(0).default(0),
  }),
);

const item = {
  namespace,
  key: z.string(),
  value: fields,
  created_at: timestamp,
  updated_at: timestamp,
};
export const storeItem = named("Item", z.object(item));
export const searchItemsResponse = named(
  "SearchItemsResponse",
  z.object({ items: z.array(z.object({ ...item, score: z.number().nullable().optional() })) }),
);
export const listNamespacesResponse = named("ListNamespaceResponse", z.object({ namespaces: z.array(namespace) }));
