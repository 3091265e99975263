import { z } from "zod";
import { regularExpression } from "./regular-expression.ts";

const text = z.string().min(1);

const cors = z.looseObject({
  /** Allowed origins, beside those that `allow_origin_regex` matches. @default none */
  allow_origins: z.array(z.string()).optional(),
  /** Methods that pages of allowed origins may use. @default those of the agent server */
  allow_methods: z.array(z.string()).optional(),
  /** Headers that pages of allowed origins may send. @default any */
  allow_headers: z.array(z.string()).optional(),
  /** Whether requests may have credentials. */
  allow_credentials: z.boolean().optional(),
  /** Allowed origins as a regular expression. */
  allow_origin_regex: regularExpression.optional(),
  /** Headers of responses that pages may read, beside those of the agent server. */
  expose_headers: z.array(z.string()).optional(),
  /** Seconds for which browsers may cache preflight responses. */
  max_age: z.number().int().nonnegative().optional(),
});

const headers = z.looseObject({
  /** Names, in which `*` matches any characters; only these headers. */
  includes: z.array(text).nullish(),
  /** Names, in which `*` matches any characters; none of these headers, also where they are included. */
  excludes: z.array(text).nullish(),
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
export const httpConfig = z.looseObject({
  /**
   * The app, `./app.ts:export`: one of Hono, whose routes and middleware come before the server's routes, or an object
   * with `fetch(request)` that serves the paths the server doesn't.
   */
  app: text.nullish(),
  /** Disables the routes of `/assistants`; the app serves these paths, or they get 404. */
  disable_assistants: z.boolean().optional(),
  /** Disables the routes of `/threads`; the app serves these paths, or they get 404. */
  disable_threads: z.boolean().optional(),
  /** Disables the routes that start or follow runs; the app serves these paths, or they get 404. */
  disable_runs: z.boolean().optional(),
  /** Disables the routes of `/store`; the app serves these paths, or they get 404. */
  disable_store: z.boolean().optional(),
  /** Disables `/mcp`; the app serves this path, or it gets 404. */
  disable_mcp: z.boolean().optional(),
  /** Disables `/a2a` and the agent cards; the app serves these paths, or they get 404. */
  disable_a2a: z.boolean().optional(),
  /** Disables the routes of `/ui`; the app serves these paths, or they get 404. */
  disable_ui: z.boolean().optional(),
  /** Disables `/info`, `/metrics`, `/docs` and `/openapi.json`; `/ok` checks nothing then. */
  disable_meta: z.boolean().optional(),
  /** Webhooks of runs are accepted, but not sent. */
  disable_webhooks: z.boolean().optional(),
  /** CORS settings. @default pages of any origin are allowed */
  cors: cors.nullish(),
  /**
   * Which headers of a request graphs can read in `configurable`; never keys and `authorization`.
   * @default `user-agent`, and those that begin with `x-`
   */
  configurable_headers: headers.nullish(),
  /**
   * With which headers requests are logged; never keys, cookies and `authorization`.
   * @default requests aren't logged
   */
  logging_headers: headers.nullish(),
  /**
   * Whether the callers of the server's own routes are authenticated before or after the app's middleware; with
   * `enable_custom_route_auth` before it.
   * @default middleware_first
   */
  middleware_order: z.enum(["auth_first", "middleware_first"]).nullish(),
  /** Whether the app's own routes need what the server's need: a user of the auth handlers, or a key. @default false */
  enable_custom_route_auth: z.boolean().optional(),
  /** The prefix of all paths, for example `/api`; `/ok` is also served without it. */
  mount_prefix: mountPrefix.nullish(),
});

export type CorsSettings = z.output<typeof cors>;
export type HeadersConfig = z.output<typeof headers>;
