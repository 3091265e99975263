import { z } from "zod";
import { regularExpression } from "./regular-expression.ts";

const text = z.string().min(1);

const graph = z.union([text, z.looseObject({ path: text, description: z.string().nullish() })], {
  error: 'must be "./file.ts:export", or an object with such a "path"',
});

const cors = z.looseObject({
  /** Origins whose pages may call. @default any */
  allow_origins: z.array(z.string()).optional(),
  allow_methods: z.array(z.string()).optional(),
  allow_headers: z.array(z.string()).optional(),
  /** Whether calls may carry cookies. */
  allow_credentials: z.boolean().optional(),
  /** Origins, as a regular expression. */
  allow_origin_regex: regularExpression.optional(),
  expose_headers: z.array(z.string()).optional(),
  /** How long a browser may keep the response to a preflight request, in seconds. */
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
  /** A module and its export, `./app.ts:app`: an object with `fetch(request)`, which serves the paths that the agent server doesn't. */
  app: text.nullish(),
  /** Turn off the routes of `/assistants`: the app's, or 404. */
  disable_assistants: z.boolean().optional(),
  /** Turn off the routes of `/threads`: the app's, or 404. */
  disable_threads: z.boolean().optional(),
  /** Turn off the routes of `/runs`: the app's, or 404. */
  disable_runs: z.boolean().optional(),
  /** Turn off the routes of `/store`: the app's, or 404. */
  disable_store: z.boolean().optional(),
  /** Turn off the server's own pages, such as `/info` and `/docs`. */
  disable_meta: z.boolean().optional(),
  /** Which origins' pages may call. Without it, those of any. */
  cors: cors.nullish(),
  /** What all paths begin with, for example `/api`; `/ok` is served without it, too. */
  mount_prefix: mountPrefix.nullish(),
});

/** A graph configuration file, as it is written. Keys that aren't named here are kept. */
export const graphConfigSchema = z.looseObject({
  /** Graphs by id: `./file.ts:export`, or an object with that as its `path`. */
  graphs: z
    .record(
      z.string().regex(/^[^\s/|:]+$/, { error: "must be a graph id without spaces, slashes, bars and colons" }),
      graph,
    )
    .refine((graphs) => Object.keys(graphs).length > 0, { error: "must name at least one graph" }),
  /** The version of Node.js that the graphs are made for; another one is warned about. */
  node_version: z.union([z.string(), z.number()]).optional(),
  /** Variables, the path of an environment file, or names of variables to take over. */
  env: z
    .union([text, z.array(text), z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))], {
      error: "must be an object of variables, the path of an environment file, or a list of names",
    })
    .optional(),
  /** The project's auth handlers: `path` is `./file.ts:export`. */
  auth: z.looseObject({ path: text, disable_studio_auth: z.boolean().optional() }).nullish(),
  /** What is served beside and in place of the agent server's own routes. */
  http: http.nullish(),
  /** Settings of the store. */
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
