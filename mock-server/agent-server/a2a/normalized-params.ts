import { type Fields, isFields } from "../engine/contract.ts";
import type { A2aVersion } from "../persistence/push-config-table.ts";

/** The parameters of a request as the library and the schemas need them. */
export function normalizedParams(version: A2aVersion, params: unknown): unknown {
  if (!isFields(params)) return params;
  return version === "0.3" ? withDefaults(params) : camelCased(params);
}

/**
 * Parameters of 0.3: the context of a task becomes part of its id, and who doesn't say otherwise waits for the end of the
 * task, as the service's description has it.
 */
function withDefaults(params: Fields): Fields {
  const { id, contextId, configuration } = params;
  const isOfContext = typeof id === "string" && !id.includes(":") && typeof contextId === "string" && contextId !== "";
  return {
    ...params,
    ...(isOfContext ? { id: `${contextId}:${id}` } : {}),
    ...(isFields(configuration)
      ? { configuration: { ...configuration, blocking: configuration.blocking ?? true } }
      : {}),
  };
}

/** Fields with values of the client's own. */
const opaque: ReadonlySet<string> = new Set(["data", "metadata"]);

/** Parameters of 1.0, whose fields may also have the names of the protocol's definition, with underscores. */
function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased);
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(([name, field]) => {
    const camelName = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return [camelName, opaque.has(camelName) ? field : camelCased(field)];
  });
  return Object.fromEntries(entries);
}
