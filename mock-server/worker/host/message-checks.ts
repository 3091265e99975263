import { z } from "zod";
import type { Fields, StateSnapshot, StoredWrite } from "../../agent-server/engine/contract.ts";
import { streamModeSchema } from "../../agent-server/engine/stream-mode.ts";
import type { Message, Params, Result } from "../calls.ts";
import type { ServerMethods, WorkerMethods } from "../protocol.ts";
import type { GraphWorkerService } from "./graph-worker.ts";

/** Checks of messages from workers: a project's code can post anything in the name of its worker. */

const fields = z.record(z.string(), z.unknown());
const path = z.array(z.string());
const id = z.number();
const handle = z.number();

const failure = z.object({ name: z.string(), message: z.string(), at: z.string().optional() });

const message: z.ZodType<Message> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("call"), id, method: z.string(), params: z.unknown() }),
  z.object({ kind: z.literal("result"), id, result: z.unknown() }),
  z.object({ kind: z.literal("failure"), id, failure }),
  z.object({ kind: z.literal("cancel"), id }),
  z.object({ kind: z.literal("notice"), method: z.string(), params: z.unknown() }),
]);

const serialized = z.object({ type: z.string(), data: z.instanceof(Uint8Array) });
const checkpoint = z.object({
  id: z.string(),
  parentId: z.string().nullable(),
  namespace: z.string(),
  metadata: fields,
  createdAt: z.string(),
  runId: z.string().nullable(),
  content: serialized,
});
const write: z.ZodType<StoredWrite> = z.object({
  namespace: z.string(),
  checkpointId: z.string(),
  taskId: z.string(),
  taskPath: z.string(),
  index: z.number(),
  channel: z.string(),
  runId: z.string().nullable(),
  content: serialized,
});
const count = z.int().nonnegative();
const operation = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("get"), namespace: path, key: z.string() }),
  z.object({ kind: z.literal("put"), namespace: path, key: z.string(), value: fields.nullable() }),
  z.object({
    kind: z.literal("search"),
    prefix: path,
    filter: fields.optional(),
    limit: count.optional(),
    offset: count.optional(),
    query: z.string().optional(),
  }),
  z.object({
    kind: z.literal("list"),
    prefix: path.optional(),
    suffix: path.optional(),
    maxDepth: count.optional(),
    limit: count,
    offset: count,
  }),
]);

const headers = z.array(z.tuple([z.string(), z.string()]));
const request = z.object({
  method: z.string(),
  url: z.string(),
  headers,
  body: z.instanceof(Uint8Array).nullable(),
});
const user = z.looseObject({
  identity: z.string(),
  permissions: z.array(z.string()),
  is_authenticated: z.boolean(),
  display_name: z.string(),
});

const responseBehindApp = z.object({ handle, response: count });
const publishedMode = z.union([streamModeSchema, z.literal("protocol")]);

const params: { [Name in keyof ServerMethods]: z.ZodType<Params<ServerMethods, Name>> } = {
  getCheckpoint: z.object({ handle, namespace: z.string(), id: z.string().optional() }),
  listCheckpoints: z.object({
    handle,
    namespace: z.string().optional(),
    before: z.string().optional(),
    limit: count.optional(),
    filter: fields.optional(),
  }),
  putCheckpoint: z.object({ handle, checkpoint }),
  putWrites: z.object({ handle, writes: z.array(write) }),
  useStore: z.object({ handle, operations: z.array(operation) }),
  log: z.object({ level: z.enum(["DEBUG", "INFO", "WARNING", "ERROR"]), text: z.string() }),
  fetchServer: z.object({ request, user: user.nullable() }),
  readServerBody: z.string(),
  cancelServerBody: z.string(),
  readRequestBody: handle,
  respondBehindApp: z.object({
    handle,
    changes: z.object({ headers, search: z.string(), body: z.instanceof(Uint8Array).nullable() }),
  }),
  readBehindApp: responseBehindApp,
  cancelBehindApp: responseBehindApp,
  publish: z.object({ handle, events: z.array(z.tuple([publishedMode, z.string(), z.string()])) }),
};

/** Graphs of the functional API may return anything. */
const values = z.custom<Fields>();
const interrupts = z.array(z.object({ id: z.string().optional(), value: z.unknown().optional() }));
const snapshot: z.ZodType<StateSnapshot> = z.object({
  values,
  next: path,
  metadata: fields,
  created_at: z.string().nullable(),
  checkpoint: z.lazy(() => reference.nullable()),
  parent_checkpoint: z.lazy(() => reference.nullable()),
  interrupts,
  tasks: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      error: z.string().nullable(),
      interrupts,
      path: z.array(z.unknown()),
      checkpoint: fields.nullable(),
      state: z.lazy(() => snapshot.nullable()),
      result: z.unknown(),
    }),
  ),
});
const reference = z.object({
  thread_id: z.string(),
  checkpoint_id: z.string(),
  checkpoint_ns: z.string(),
  checkpoint_map: fields.nullable(),
});
const schemas = z.object({
  input_schema: fields,
  output_schema: fields,
  state_schema: fields,
  config_schema: fields,
  context_schema: fields,
});

const status = z.int().min(200).max(599);
const authOutcome = <Value extends z.ZodType>(result: Value) =>
  z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("done"), result }),
    z.object({ kind: z.literal("refused"), status, detail: z.string(), headers: z.record(z.string(), z.string()) }),
    z.object({ kind: z.literal("failed") }),
  ]);

const results: { [Name in keyof WorkerMethods]: z.ZodType<Result<WorkerMethods, Name>> } = {
  load: z.object({
    files: z.array(z.string()),
    app: z
      .object({
        routes: z.array(z.object({ method: z.string(), path: z.string(), isMiddleware: z.boolean() })).nullable(),
        isStrict: z.boolean(),
      })
      .nullable(),
  }),
  bundleUi: z.object({
    bundles: z.record(
      z.string(),
      z.object({
        files: z.array(z.object({ name: z.string(), content: z.instanceof(Uint8Array) })),
        problem: z.string().nullable(),
      }),
    ),
    sources: z.array(z.string()),
  }),
  ping: z.undefined(),
  execute: z.object({ values, interrupts: interrupts.optional() }),
  states: z.array(snapshot),
  update: z.object({ namespace: z.string(), id: z.string() }),
  draw: z.object({
    nodes: z.array(z.object({ id: z.string(), type: z.string(), data: z.unknown(), metadata: fields.optional() })),
    edges: z.array(
      z.object({
        source: z.string(),
        target: z.string(),
        conditional: z.boolean().optional(),
        data: z.string().optional(),
      }),
    ),
  }),
  schemas,
  subgraphs: z.record(z.string(), schemas),
  authenticate: authOutcome(user),
  authorize: authOutcome(z.object({ value: fields, filter: fields.nullable() })),
  fetchApp: z.object({ status, headers, body: z.string().nullable(), passedOn: count.nullable() }),
  readAppBody: z.instanceof(Uint8Array).nullable(),
  cancelAppBody: z.undefined(),
};

export const messageChecks: GraphWorkerService["checks"] = {
  isMessage: (value): value is Message => message.safeParse(value).success,
  params: checksOf(params),
  results: checksOf(results),
};

function checksOf<Name extends string>(schemas: Record<Name, z.ZodType>): Record<Name, (value: unknown) => boolean> {
  const entries = Object.entries<z.ZodType>(schemas);
  return Object.fromEntries(
    entries.map(([name, schema]) => [name, (value: unknown) => schema.safeParse(value).success]),
  ) as Record<Name, (value: unknown) => boolean>;
}
