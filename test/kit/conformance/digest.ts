type Json = Record<string, unknown>;

interface Schema extends Json {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
}

interface OperationObject {
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { required?: boolean; content: Record<string, { schema?: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

/** The parts of an OpenAPI file that a digest is made from. */
export interface OpenApiFile {
  info: { version: string };
  paths: Record<string, Record<string, OperationObject>>;
  components?: { schemas?: Record<string, Schema> };
}

/**
 * The content of an OpenAPI file, one fact per line: `GET /path query limit` → `integer 1..100 =20 optional`, `GET
 * /path 200 resources[].id` → `string required`.
 */
export type Digest = Record<string, string>;

/** The digest of the operations whose paths start with one of `prefixes`; of all operations if there are none. */
export function digestOf(file: OpenApiFile, prefixes: readonly string[] = []): Digest {
  const digest: Digest = { "info version": file.info.version };
  for (const [path, item] of Object.entries(file.paths)) {
    if (prefixes.length > 0 && !prefixes.some((prefix) => path.startsWith(prefix))) continue;
    for (const [method, operation] of Object.entries(item)) {
      addOperation(digest, `${method.toUpperCase()} ${path}`, operation, file);
    }
  }
  return Object.fromEntries(Object.entries(digest).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function addOperation(digest: Digest, name: string, operation: OperationObject, file: OpenApiFile): void {
  for (const parameter of operation.parameters ?? []) {
    const need = parameter.required ? "required" : "optional";
    digest[`${name} ${parameter.in} ${parameter.name}`] = `${typeOf(parameter.schema ?? {}, file)} ${need}`;
  }
  if (operation.requestBody) {
    const schema = operation.requestBody.content["application/json"]?.schema ?? {};
    digest[`${name} body`] = operation.requestBody.required ? "required" : "optional";
    addFields(digest, `${name} body`, schema, file);
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    digest[`${name} ${status}`] = "response";
    const schema = response.content?.["application/json"]?.schema;
    if (schema) addFields(digest, `${name} ${status}`, schema, file);
  }
}

/** `within` has the schemas around this one, so that a recursive schema is described once. */
function addFields(
  digest: Digest,
  prefix: string,
  schema: Schema,
  file: OpenApiFile,
  within: readonly Schema[] = [],
): void {
  const resolved = resolve(schema, file);
  if (within.includes(resolved)) return;
  const path = [...within, resolved];
  if (resolved.items) addFields(digest, `${prefix}[]`, resolved.items, file, path);
  for (const [field, property] of Object.entries(resolved.properties ?? {})) {
    const need = resolved.required?.includes(field) ? "required" : "optional";
    const separator = /( body|\d{3})$/.test(prefix) ? " " : ".";
    const name = `${prefix}${separator}${field}`;
    digest[name] = `${typeOf(property, file)} ${need}`;
    addFields(digest, name, property, file, path);
  }
}

/** Resolves references, and returns the schema itself for "this or null". */
function resolve(schema: Schema, file: OpenApiFile): Schema {
  if (schema.$ref !== undefined)
    return resolve(file.components?.schemas?.[schema.$ref.split("/").at(-1) ?? ""] ?? {}, file);
  if (schema.allOf?.length === 1) return resolve(schema.allOf[0] as Schema, file);
  if (schema.allOf) return joined(schema.allOf.map((part) => resolve(part, file)));
  const alternatives = schema.anyOf?.filter(({ type }) => type !== "null");
  return alternatives?.length === 1 ? resolve(alternatives[0] as Schema, file) : schema;
}

/** One object schema with the fields of all. */
function joined(parts: readonly Schema[]): Schema {
  return {
    type: "object",
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => required ?? []),
  };
}

function isNullable(schema: Schema, file: OpenApiFile): boolean {
  if (Array.isArray(schema.type) && schema.type.includes("null")) return true;
  const alternatives = schema.$ref === undefined ? schema.anyOf : undefined;
  return alternatives?.some((alternative) => alternative.type === "null" || isNullable(alternative, file)) ?? false;
}

function typeOf(schema: Schema, file: OpenApiFile): string {
  const resolved = resolve(schema, file);
  const several = resolved.anyOf?.map((alternative) => typeOf(alternative, file)).sort();
  const values = resolved.enum ?? (resolved.const === undefined ? undefined : [resolved.const]);
  const types = [resolved.type ?? "any"].flat().filter((type) => type !== "null");
  const parts = [several?.join("|") ?? types.join("|")];
  if (values) parts.push(`{${values.map(String).sort().join(",")}}`);
  const bounds = boundsOf(resolved);
  if (bounds) parts.push(bounds);
  const fallback = schema.default ?? resolved.default;
  if (fallback !== undefined && fallback !== null) parts.push(`=${fallback}`);
  if (isNullable(schema, file)) parts.push("nullable");
  return parts.join(" ");
}

/** The range of a number or the length of a list. The bounds of safe integers aren't part of the contract. */
function boundsOf(schema: Schema): string | undefined {
  const isBound = (value: unknown) => typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const low = schema.minimum ?? schema.minItems;
  const high = schema.maximum ?? schema.maxItems;
  if (!isBound(low) && !isBound(high)) return undefined;
  return `${isBound(low) ? low : ""}..${isBound(high) ? high : ""}`;
}
