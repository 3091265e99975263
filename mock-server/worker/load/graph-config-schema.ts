import { z } from "zod";
import { httpConfig } from "./http-config-schema.ts";
import { checkpointerConfig, storeConfig } from "./storage-config-schema.ts";
import { webhooksConfig } from "./webhooks-config-schema.ts";

const text = z.string().min(1);

const graph = z.union([text, z.looseObject({ path: text, description: z.string().nullish() })], {
  error: 'must be "./file.ts:export", or an object with such a "path"',
});

const requirements = z.array(z.record(z.string(), z.array(z.string())));

/** A project's auth handlers. */
const auth = z.looseObject({
  /** The handlers, `./file.ts:export`. */
  path: text,
  /** Whether the developer interface's header is ignored, so that its requests need a user like any other. */
  disable_studio_auth: z.boolean().optional(),
  /** Parts of the OpenAPI document. */
  openapi: z
    .looseObject({
      /** Security schemes by name. */
      securitySchemes: z.record(z.string(), z.looseObject({})).optional(),
      /** Security requirements of all operations. */
      security: requirements.optional(),
      /** Security requirements of single operations, by path and method. */
      paths: z.record(z.string(), z.record(z.string(), requirements)).optional(),
    })
    .nullish(),
  /** Users are kept instead of authenticating the same headers again. */
  cache: z
    .looseObject({
      /** The headers whose values together stand for a user. */
      cache_keys: z.array(text).optional(),
      /** Seconds that a user is kept. @default 60 */
      ttl_seconds: z.number().positive().optional(),
      /** Maximum number of users. @default 1000 */
      max_size: z.number().int().positive().optional(),
    })
    .nullish(),
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
  node_version: z.union([z.string(), z.number()]).nullish(),
  /** Variables, the path of an environment file, or names of variables of the server's process. */
  env: z
    .union([text, z.array(text), z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))], {
      error: "must be an object of variables, the path of an environment file, or a list of names",
    })
    .optional(),
  /** The project's auth handlers. */
  auth: auth.nullish(),
  /** Settings of HTTP. */
  http: httpConfig.nullish(),
  /** Settings of the store. */
  store: storeConfig.nullish(),
  /** Settings of threads and their checkpoints: `ttl` is the time to live of threads. */
  checkpointer: checkpointerConfig.nullish(),
  /** Settings of the webhooks of runs. */
  webhooks: webhooksConfig.nullish(),
  /** Files that export components of React, by graph; the project's esbuild bundles them for `/ui`. */
  ui: z.record(z.string().regex(/^[^\s/]+$/, { error: "must be a name without spaces and slashes" }), text).nullish(),
  /** Settings of `ui`: `shared` names packages that the page provides, so that bundles lack them. */
  ui_config: z
    .looseObject({
      /** Packages that the page provides, so that bundles lack them. */
      shared: z.array(text).optional(),
    })
    .nullish(),
});

export type GraphConfig = z.output<typeof graphConfigSchema>;
