import { z } from "zod";
import { regularExpression } from "./regular-expression.ts";

const text = z.string().min(1);

const graph = z.union([text, z.looseObject({ path: text, description: z.string().nullish() })], {
  error: 'must be "./file.ts:export", or an object with such a "path"',
});

const cors = z.looseObject({
  allow_origins: z.array(z.string()).optional(),
  allow_methods: z.array(z.string()).optional(),
  allow_headers: z.array(z.string()).optional(),
  allow_credentials: z.boolean().optional(),
  allow_origin_regex: regularExpression.optional(),
  expose_headers: z.array(z.string()).optional(),
  max_age: z.number().int().nonnegative().optional(),
});

/** What all paths begin with; a slash at the end is left out, and `/` alone is no prefix. */
export const mountPrefix = z
  .string()
  .regex(/^\/[\w\-./~]*$/, { error: 'must be a path such as "/api"' })
  .refine((prefix) => !prefix.split("/").some((part) => part === "." || part === ".."), {
    error: "must not contain . or .. as a part",
  })
  .transform((prefix) => prefix.replace(/\/+$/, ""));

/** What answers over HTTP beside and in place of the agent server's own routes. */
const http = z.looseObject({
  app: text.nullish(),
  disable_assistants: z.boolean().optional(),
  disable_threads: z.boolean().optional(),
  disable_runs: z.boolean().optional(),
  disable_store: z.boolean().optional(),
  disable_meta: z.boolean().optional(),
  cors: cors.nullish(),
  mount_prefix: mountPrefix.nullish(),
});

/** A graph configuration file, as it is written. Keys that aren't named here are kept. */
export const graphConfigSchema = z.looseObject({
  graphs: z
    .record(
      z.string().regex(/^[^\s/|:]+$/, { error: "must be a graph id without spaces, slashes, bars and colons" }),
      graph,
    )
    .refine((graphs) => Object.keys(graphs).length > 0, { error: "must name at least one graph" }),
  node_version: z.union([z.string(), z.number()]).optional(),
  env: z
    .union([text, z.array(text), z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))], {
      error: "must be an object of variables, the path of an environment file, or a list of names",
    })
    .optional(),
  auth: z.looseObject({ path: text, disable_studio_auth: z.boolean().optional() }).nullish(),
  http: http.nullish(),
  store: z
    .looseObject({
      index: z
        .looseObject({ dims: z.number().int().positive().optional(), fields: z.array(text).optional() })
        .nullish(),
    })
    .nullish(),
});

export type GraphConfig = z.output<typeof graphConfigSchema>;
export type CorsSettings = z.output<typeof cors>;
