import { z } from "zod";
import { fields, named, paging, runConfig, sortOrder, timestamp, uuid } from "../agent-schemas.ts";

const description = z.string().nullish();

export const assistant = named(
  "Assistant",
  z.object({
    assistant_id: uuid,
    graph_id: z.string(),
    config: runConfig,
    context: fields.optional(),
    created_at: timestamp,
    updated_at: timestamp,
    metadata: fields,
    version: z.int().optional(),
    name: z.string().optional(),
    description,
  }),
);

export const assistantCreate = named(
  "AssistantCreate",
  z.object({
    assistant_id: uuid.optional(),
    graph_id: z.string(),
    config: fields.optional(),
    context: fields.optional(),
    metadata: fields.optional(),
    if_exists: z.enum(["raise", "do_nothing"]).default("raise"),
    name: z.string().optional(),
    description,
  }),
);

export const assistantPatch = named(
  "AssistantPatch",
  z.object({
    graph_id: z.string().optional(),
    config: fields.optional(),
    context: fields.optional(),
    metadata: fields.optional(),
    name: z.string().optional(),
    description: z.string().optional(),
  }),
);

const filters = {
  metadata: fields.optional(),
  graph_id: z.string().optional(),
  name: z.string().optional(),
};

export const assistantSearch = named(
  "AssistantSearchRequest",
  z.object({
    ...filters,
    ...paging,
    sort_by: z.enum(["assistant_id", "created_at", "updated_at", "name", "graph_id"]).optional(),
    sort_order: sortOrder.optional(),
    select: z
      .array(
        z.enum([
          "assistant_id",
          "graph_id",
          "name",
          "description",
          "config",
          "context",
          "created_at",
          "updated_at",
          "metadata",
          "version",
        ]),
      )
      .optional(),
  }),
);

export const assistantCount = named("AssistantCountRequest", z.object(filters));

export const assistantVersions = named(
  "AssistantVersionsSearchRequest",
  z.object({ metadata: fields.optional(), ...paging }),
);

export const assistantVersionChange = named("AssistantVersionChange", z.object({ version: z.int().optional() }));

const schemas = {
  output_schema: fields.optional(),
  config_schema: fields.optional(),
  context_schema: fields.optional(),
};

export const graphSchema = named(
  "GraphSchema",
  z.object({ graph_id: z.string(), input_schema: fields.optional(), state_schema: fields, ...schemas }),
);

export const subgraphs = named("Subgraphs", fields);
