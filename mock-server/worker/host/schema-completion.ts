import type { Fields, GraphSchemas } from "../../agent-server/engine/contract.ts";
import type { GraphTypes } from "../types/found-types.ts";

/** Whether some field of a graph has an empty schema: it is declared by a type, or may have any value. */
export function lacksTypes(schemas: GraphSchemas): boolean {
  return Object.values(schemas).some((schema) => emptyFields(schema).length > 0);
}

/**
 * The types of those that may be a graph's which have most fields of its state; none if several differ, since either
 * would be a guess.
 */
export function bestOf(
  candidates: readonly GraphTypes[],
  { state_schema: schema }: GraphSchemas,
): GraphTypes | undefined {
  const names = Object.keys(propertiesOf(schema));
  const counts = candidates.map(({ state }) => names.filter((name) => name in propertiesOf(state)).length);
  const best = candidates.filter((_, index) => counts[index] === Math.max(...counts));
  return new Set(best.map((types) => JSON.stringify(types))).size === 1 ? best[0] : undefined;
}

/** Completes the empty schemas of fields by the types that the graph is declared with. */
export function completed(schemas: GraphSchemas, { state, input, output, context }: GraphTypes): GraphSchemas {
  const config = completedBy(schemas.context_schema, context);
  return {
    input_schema: completedBy(schemas.input_schema, input ?? state),
    output_schema: completedBy(schemas.output_schema, output ?? state),
    state_schema: completedBy(schemas.state_schema, state),
    config_schema: config,
    context_schema: config,
  };
}

function completedBy(schema: Fields, types: Fields | undefined): Fields {
  const typed = propertiesOf(types);
  const found = emptyFields(schema).filter((name) => name in typed);
  if (found.length === 0) return schema;
  const requiredByType = (types?.required as string[] | undefined) ?? [];
  const required = [
    ...((schema.required as string[] | undefined) ?? []),
    ...found.filter((name) => requiredByType.includes(name)),
  ];
  return {
    ...schema,
    properties: { ...propertiesOf(schema), ...Object.fromEntries(found.map((name) => [name, typed[name]])) },
    ...(required.length > 0 ? { required } : {}),
    ...(types?.$defs ? { $defs: { ...types.$defs, ...(schema.$defs as Fields | undefined) } } : {}),
  };
}

function emptyFields(schema: Fields): string[] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, value]) =>
    Object.keys(value as Fields).length === 0 ? [name] : [],
  );
}

function propertiesOf(schema: Fields | undefined): Fields {
  return (schema?.properties as Fields | undefined) ?? {};
}
