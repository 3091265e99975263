import { z } from "zod";
import type { GraphSettings } from "../../agent-server/engine/contract.ts";
import { ProjectLoadError } from "./project-load-error.ts";

const variable = "LANGGRAPH_CONFIG";
const fields = z.record(z.string(), z.unknown());
const settingsByGraph = z.record(z.string(), z.object({ configurable: fields.optional(), context: fields.optional() }));

/**
 * Reads the settings of default assistants, by graph, from the JSON in an environment variable.
 * @throws {ProjectLoadError} for an invalid value; the message doesn't show it, since it may hold secrets.
 */
export function defaultSettings({ [variable]: json }: Record<string, string>): ReadonlyMap<string, GraphSettings> {
  if (json === undefined || json.trim() === "") return new Map();
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new ProjectLoadError(`The environment variable ${variable} isn't JSON.`);
  }
  const result = settingsByGraph.safeParse(value);
  if (!result.success) {
    const places = result.error.issues.map(({ path }) => path.join(".") || "the whole").join(", ");
    throw new ProjectLoadError(
      `The environment variable ${variable} must be an object of objects with "configurable" and "context" by graph, but isn't at ${places}.`,
    );
  }
  const entries = Object.entries(result.data).map(([graphId, { configurable, context = {} }]) => {
    const settings: GraphSettings = { config: configurable ? { configurable } : {}, context };
    return [graphId, settings] as const;
  });
  return new Map(entries);
}
