import { z } from "zod";
import { configSchema } from "../../mock-server/config-file.ts";
import { graphConfigSchema } from "../../mock-server/worker/load/graph-config-schema.ts";
import { inertKeys, keysOfOthers } from "../../mock-server/worker/load/known-keys.ts";
import { code, page, table } from "./markdown.ts";
import { objectComments } from "./source-comments.ts";

/** The keys of both configuration files, from the schemas that parse them and the comments in those schemas. */
export function configurationPages(): Map<string, string> {
  const inert = Object.entries(inertKeys).map(([key, reason]) => [code(key), reason]);
  return new Map([
    [
      "docs/reference/graph-configuration.md",
      page(
        "Keys of the graph configuration file",
        "`graph.json` or `langgraph.json`, as `graphdeploy dev` and builds of the mock server read it. What the keys do together: [agent servers](../guides/agent-server.md#a-projects-configuration-file).",
        keyTable(graphConfigSchema, "mock-server/worker/load/*-schema.ts"),
        "## Keys that do nothing here",
        `They are accepted with a warning; ${keysOfOthers.map(code).join(", ")} without one.`,
        table(["key", "because"], inert),
      ),
    ],
    [
      "docs/reference/mock-configuration.md",
      page(
        "Keys of `mock.yaml`",
        "The file that `graphdeploy mock --config` reads, in YAML or JSON. An example: [the mock server](../guides/mock-server.md#configuration). `listeners` and `deployments` are bodies of create requests; the fields of a `resource_spec` are those of [the provider](provider.md#fields-of-resourcespec), in snake case.",
        keyTable(configSchema, "mock-server/**/*.ts"),
      ),
    ],
  ]);
}

function keyTable(schema: z.ZodType, sources: string): string {
  const rows = keysOf(schema, "", objectComments(sources));
  return table(["key", "type", "meaning"], rows);
}

function keysOf(schema: z.ZodType, prefix: string, commentsOf: ReturnType<typeof objectComments>): string[][] {
  const inner = withoutWrappers(schema);
  if (inner instanceof z.ZodArray) return keysOf(inner.element as z.ZodType, `${prefix}[]`, commentsOf);
  if (inner instanceof z.ZodRecord) return keysOf(inner.valueType as z.ZodType, `${prefix}.<name>`, commentsOf);
  if (inner instanceof z.ZodUnion) {
    const options = (inner.options as z.ZodType[]).map(withoutWrappers);
    const nested = options.find((option) => option instanceof z.ZodObject);
    return nested === undefined ? [] : keysOf(nested, prefix, commentsOf);
  }
  if (!(inner instanceof z.ZodObject)) return [];
  const shape = inner.shape as Record<string, z.ZodType>;
  const comments = commentsOf(Object.keys(shape));
  return Object.entries(shape).flatMap(([name, field]) => {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    const meaning = (comments.get(name) ?? "").replace(/\.$/, "");
    const inner = name === "resource_spec" ? [] : keysOf(field, path, commentsOf);
    return [[code(path), code(typeOf(field)), meaning], ...inner];
  });
}

/** A schema without wrappers that make it optional, add a default or transform it. */
function withoutWrappers(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return withoutWrappers(schema.unwrap() as z.ZodType);
  }
  if (!(schema instanceof z.ZodPipe)) return schema;
  return withoutWrappers((schema.in instanceof z.ZodTransform ? schema.out : schema.in) as z.ZodType);
}

function typeOf(schema: z.ZodType): string {
  const inner = withoutWrappers(schema);
  if (inner instanceof z.ZodEnum) return inner.options.join(" | ");
  if (inner instanceof z.ZodLiteral) return [...inner.values].map(String).join(" | ");
  if (inner instanceof z.ZodArray) return `${typeOf(inner.element as z.ZodType)}[]`;
  if (inner instanceof z.ZodUnion) return [...new Set((inner.options as z.ZodType[]).map(typeOf))].join(" | ");
  if (inner instanceof z.ZodObject || inner instanceof z.ZodRecord) return "object";
  if (inner instanceof z.ZodString || inner instanceof z.ZodStringFormat) return "string";
  if (inner instanceof z.ZodNumber) return "number";
  if (inner instanceof z.ZodBoolean) return "boolean";
  return "any";
}
