import { z } from "zod";
import { regularExpression } from "./regular-expression.ts";

const text = z.string().min(1);

const graph = z.union([text, z.looseObject({ path: text, description: z.string().nullish() })], {
  error: 'must be "./file.ts:export", or an object with such a "path"',
});

const cors = z.looseObject({
  /** Allowed origins. @default any */
  allow_origins: z.array(z.string()).optional(),
  allow_methods: z.array(z.string()).optional(),
  allow_headers: z.array(z.string()).optional(),
  /** Whether requests may have credentials. */
  allow_credentials: z.boolean().optional(),
  /** Allowed origins as a regular expression. */
  allow_origin_regex: regularExpression.optional(),
  expose_headers: z.array(z.string()).optional(),
  /** Seconds for which browsers may cache preflight responses. */
  max_age: z.number().int().nonnegative().optional(),
});

/** The prefix of all paths; a trailing slash is removed, and `/` alone means none. */
export const mountPrefix = z
  .string()
  .regex(/^\/[\w\-./~]*$/, { error: 'must be a path such as "/api"' })
  .refine((prefix) => !prefix.split("/").some((part) => part === "." || part === ".."), {
    error: "must not have . or .. as a segment",
  })
  .transform((prefix) => prefix.replace(/\/+$/, ""));

/** Settings of HTTP: an app and the agent server's own routes. */
const http = z.looseObject({
  /** The app, `./app.ts:export`: an object with `fetch(request)` that serves the paths the agent server doesn't. */
  app: text.nullish(),
  /** Disables the routes of `/assistants`; the app serves these paths, or they get 404. */
  disable_assistants: z.boolean().optional(),
  /** Disables the routes of `/threads`; the app serves these paths, or they get 404. */
  disable_threads: z.boolean().optional(),
  /** Disables the routes of `/runs`; the app serves these paths, or they get 404. */
  disable_runs: z.boolean().optional(),
  /** Disables the routes of `/store`; the app serves these paths, or they get 404. */
  disable_store: z.boolean().optional(),
  /** Disables `/mcp`; the app serves this path, or it gets 404. */
  disable_mcp: z.boolean().optional(),
  /** Disables `/a2a` and the agent cards; the app serves these paths, or they get 404. */
  disable_a2a: z.boolean().optional(),
  /** Disables the server's own pages, such as `/info` and `/docs`. */
  disable_meta: z.boolean().optional(),
  /** CORS settings. @default pages of any origin are allowed */
  cors: cors.nullish(),
  /** The prefix of all paths, for example `/api`; `/ok` is also served without it. */
  mount_prefix: mountPrefix.nullish(),
});

/** A graph configuration file. Unknown keys are preserved. */
export const graphConfigSchema = z.looseObject({
  /** Graphs by id: `./file.ts:export`, or an object with that as its `path`. */
  graphs: z
    .record(
      z.string().regex(/^[^\s/|:]+$/, { error: "must be a graph id without spaces, slashes, bars and colons" }),
      graph,
    )
    .refine((graphs) => Object.keys(graphs).length > 0, { error: "must name at least one graph" }),
  /** The Node.js version that the graphs are written for; the server warns if it runs another one. */
  node_version: z.union([z.string(), z.number()]).optional(),
  /** Variables, the path of an environment file, or names of variables of the server's process. */
  env: z
    .union([text, z.array(text), z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))], {
      error: "must be an object of variables, the path of an environment file, or a list of names",
    })
    .optional(),
  /** The project's auth handlers: `path` is `./file.ts:export`. */
  auth: z.looseObject({ path: text, disable_studio_auth: z.boolean().optional() }).nullish(),
  /** Settings of HTTP. */
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
