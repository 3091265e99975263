import { declarativeFileJsonSchema } from "../../core/declare/file/schema.ts";
import { code, page, table } from "./markdown.ts";

/** The parts of a JSON Schema that the page shows. */
interface Schema {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  description?: string;
  $defs?: Record<string, Schema>;
}

/** Parts that have their own table, here or on another page. */
const shownElsewhere: ReadonlySet<string> = new Set(["defaults", "deployments", "environments", "resource_spec"]);

/** The keys of a declarative file, from the JSON Schema that editors get. */
export function declarativeFilePage(): string {
  const schema = declarativeFileJsonSchema() as Schema;
  return page(
    "Keys of `graphdeploy.yaml`",
    "The declarative file, as `graphdeploy validate` reads it. What the keys do together, and how values are filled in: [the guide](../guides/declarative-file.md). The package has this as a JSON Schema for editors: `graphdeploy/build/graphdeploy.schema.json`.",
    keyTable(schema),
    "## A deployment",
    "A value of `deployments`. `defaults` takes the same keys but for `name` and `depends_on`. The fields of a `resource_spec` are those of [the provider](provider.md#fields-of-resourcespec), in snake case.",
    keyTable(schema.$defs?.deployment ?? {}),
    "## An environment",
    "A value of `environments`: the keys of `defaults` and of deployments, none required, where null removes what the file has.",
    keyTable((schema.properties?.environments?.additionalProperties as Schema | undefined) ?? {}),
  );
}

function keyTable(schema: Schema): string {
  return table(["key", "type", "meaning"], rowsOf(schema, ""));
}

function rowsOf(schema: Schema, prefix: string): string[][] {
  if (schema.items?.properties !== undefined) return rowsOf(schema.items, `${prefix}[]`);
  const entry = schema.additionalProperties;
  if (schema.properties === undefined) {
    return typeof entry === "object" && entry.properties !== undefined ? rowsOf(entry, `${prefix}.<name>`) : [];
  }
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    const isRequired = schema.required?.includes(name) && !/[Rr]equired/.test(field.description ?? "");
    const meaning = `${(field.description ?? "").replace(/\.$/, "")}${isRequired ? ". Required" : ""}`;
    const below = shownElsewhere.has(name) ? [] : rowsOf(field, path);
    return [[code(path), code(typeOf(field)), meaning], ...below];
  });
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(String).join(" | ");
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(" | ");
  if (schema.type === "array") return `${typeOf(schema.items ?? {})}[]`;
  return schema.type ?? "object";
}
