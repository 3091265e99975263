import { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import { agentRoute, assistantIdParameter } from "../agent-route.ts";
import { conflict, fields, invalid, notFound } from "../agent-schemas.ts";
import { byBody, byPath } from "../auth/access-rule.ts";
import type { Fields } from "../engine/contract.ts";
import { pageOf, selected } from "../paging.ts";
import { ok } from "../responses.ts";
import {
  assistant,
  assistantCount,
  assistantCreate,
  assistantPatch,
  assistantSearch,
  assistantVersionChange,
  assistantVersions,
  graphSchema,
  subgraphs,
} from "./assistant-schemas.ts";

const readAssistant = byPath("assistants", "read");
const tag = "Assistants";
const params = { assistant_id: assistantIdParameter };
const path = "/assistants/{assistant_id}";
const one = { description: "The assistant.", schema: assistant };

const recurse = {
  recurse: {
    kind: "boolean",
    schema: z.boolean().default(false),
    description: "Whether to include subgraphs of subgraphs.",
  },
} as const;

export const assistantRoutes = [
  agentRoute({
    id: "create_assistant",
    access: byBody("assistants", "create"),
    method: "post",
    path: "/assistants",
    tag,
    summary: "Create an assistant",
    body: { schema: assistantCreate, required: true },
    responses: { 200: one, 404: notFound, 409: conflict, 422: invalid },
    handle: async ({ assistants, body }) => ok(assistants.create(body)),
  }),
  agentRoute({
    id: "search_assistants",
    access: byBody("assistants", "search"),
    method: "post",
    path: "/assistants/search",
    tag,
    summary: "Search assistants",
    body: { schema: assistantSearch, required: false },
    responses: {
      200: {
        description: "One page of assistants.",
        schema: z.array(assistant.partial()),
        headers: ["X-Pagination-Total", "X-Pagination-Next"],
      },
      422: invalid,
    },
    async handle({ assistants, body }) {
      const { limit, offset, sort_by: by = "created_at", sort_order: direction = "desc", select, ...filter } = body;
      const found = assistants.search(filter, { by, direction }, limit, offset);
      return pageOf(found, offset, (record) => selected(record, select));
    },
  }),
  agentRoute({
    id: "count_assistants",
    access: byBody("assistants", "search"),
    method: "post",
    path: "/assistants/count",
    tag,
    summary: "Count assistants",
    body: { schema: assistantCount, required: false },
    responses: { 200: { description: "The number of matches.", schema: z.int() }, 422: invalid },
    handle: async ({ assistants, body }) => ok(assistants.count(body)),
  }),
  agentRoute({
    id: "get_assistant",
    access: readAssistant,
    method: "get",
    path,
    tag,
    summary: "Read an assistant",
    params,
    responses: { 200: one, 404: notFound },
    handle: async ({ assistants, params }) => ok(assistants.find(params.assistant_id as string)),
  }),
  agentRoute({
    id: "patch_assistant",
    access: byBody("assistants", "update"),
    method: "patch",
    path,
    tag,
    summary: "Create a new version of an assistant",
    description: "Omitted fields keep their values. `config` and `context` are replaced; `metadata` is merged.",
    params,
    body: { schema: assistantPatch, required: true },
    responses: { 200: one, 404: notFound, 422: invalid },
    handle: async ({ assistants, params, body }) => ok(assistants.patch(params.assistant_id as string, body)),
  }),
  agentRoute({
    id: "delete_assistant",
    async access(request, access) {
      await byPath("assistants", "delete")(request, access);
      if (request.query.delete_threads) await access.authorize("threads", "delete", {});
      return undefined;
    },
    method: "delete",
    path,
    tag,
    summary: "Delete an assistant with all its versions",
    params,
    query: {
      delete_threads: {
        kind: "boolean",
        schema: z.boolean().default(false),
        description: "Whether to delete the threads of its runs as well.",
      },
    },
    responses: { 200: { description: "The assistant was deleted.", schema: z.unknown() }, 404: notFound, 422: invalid },
    async handle({ assistants, params, query }) {
      await assistants.delete(params.assistant_id as string, query.delete_threads);
      return ok({});
    },
  }),
  agentRoute({
    id: "get_assistant_graph",
    access: readAssistant,
    method: "get",
    path: `${path}/graph`,
    tag,
    summary: "Draw an assistant's graph",
    params,
    query: {
      xray: {
        kind: "string",
        schema: z
          .union([z.enum(["true", "false"]), z.string().regex(/^\d+$/)])
          .optional()
          .describe("true, false or a number"),
        description: "Whether to expand subgraphs: all levels, none, or this many.",
      },
    },
    responses: { 200: { description: "Nodes and edges.", schema: fields }, 404: notFound, 422: invalid },
    async handle({ assistants, params, query: { xray } }) {
      const depth = xray === "true" ? Number.POSITIVE_INFINITY : Number(xray === "false" ? 0 : (xray ?? 0));
      const { graph, settings } = assistants.graphOf(params.assistant_id as string);
      return ok(await graph.draw(depth, settings));
    },
  }),
  agentRoute({
    id: "get_assistant_schemas",
    access: readAssistant,
    method: "get",
    path: `${path}/schemas`,
    tag,
    summary: "Read the schemas of an assistant's graph",
    params,
    responses: { 200: { description: "JSON Schemas.", schema: graphSchema }, 404: notFound, 422: invalid },
    async handle({ assistants, params }) {
      const { graph, settings } = assistants.graphOf(params.assistant_id as string);
      return ok({ graph_id: graph.id, ...(await graph.schemas(settings)) });
    },
  }),
  agentRoute({
    id: "get_assistant_subgraphs",
    access: readAssistant,
    method: "get",
    path: `${path}/subgraphs`,
    tag,
    summary: "Read the schemas of the subgraphs",
    params,
    query: recurse,
    responses: {
      200: { description: "Schemas by the path to the subgraph.", schema: subgraphs },
      404: notFound,
      422: invalid,
    },
    async handle({ assistants, params, query }) {
      const { graph, settings } = assistants.graphOf(params.assistant_id as string);
      return ok(await graph.subgraphs(query.recurse, settings));
    },
  }),
  agentRoute({
    id: "get_assistant_subgraph",
    access: readAssistant,
    method: "get",
    path: `${path}/subgraphs/{namespace}`,
    tag,
    summary: "Read the schemas of one subgraph",
    params: { ...params, namespace: z.string().min(1) },
    query: recurse,
    responses: {
      200: { description: "Schemas by the path to the subgraph.", schema: subgraphs },
      404: notFound,
      422: invalid,
    },
    async handle({ assistants, params, query }) {
      const { graph, settings } = assistants.graphOf(params.assistant_id as string);
      const all = await graph.subgraphs(true, settings);
      const namespace = params.namespace as string;
      const isWanted = (name: string) => name === namespace || (query.recurse && name.startsWith(`${namespace}|`));
      return ok(Object.fromEntries(Object.entries(all).filter(([name]) => isWanted(name))));
    },
  }),
  agentRoute({
    id: "get_assistant_versions",
    access: readAssistant,
    method: "post",
    path: `${path}/versions`,
    tag,
    summary: "List an assistant's versions, the newest first",
    params,
    body: { schema: assistantVersions, required: false },
    responses: {
      200: { description: "One page of versions.", schema: z.array(assistant) },
      404: notFound,
      422: invalid,
    },
    handle: async ({ assistants, params, body: { metadata, limit, offset } }) =>
      ok(assistants.versions(params.assistant_id as string, metadata, limit, offset)),
  }),
  agentRoute({
    id: "set_latest_assistant_version",
    async access({ params, query, body }, access) {
      const version = (body as Fields).version ?? query.version;
      const assistantId = access.assistantIdOf(params.assistant_id as string);
      return { body: await access.authorize("assistants", "update", { assistant_id: assistantId, version }) };
    },
    method: "post",
    path: `${path}/latest`,
    tag,
    summary: "Make a version of an assistant the current one",
    params,
    query: {
      version: {
        kind: "integer",
        schema: z.int().optional(),
        description: "The version, unless the body has it.",
      },
    },
    body: { schema: assistantVersionChange, required: false },
    responses: { 200: one, 404: notFound, 422: invalid },
    async handle({ assistants, params, query, body }) {
      const version = body.version ?? query.version;
      if (version === undefined) throw new HttpError(422, "version: Field required, in the body or in the query.");
      return ok(assistants.activateVersion(params.assistant_id as string, version));
    },
  }),
];
