/**
 * Neutral and brand names. This project writes `graph` where the wire of the hosted service has a brand word; both are read everywhere,
 * and this table is the only place that knows the pairs.
 */
const brandNames = {
  graph_config_path: "langgraph_config_path",
  graph_node: "langgraph_node",
  graph_step: "langgraph_step",
  graph_path: "langgraph_path",
  graph_triggers: "langgraph_triggers",
  graph_checkpoint_ns: "langgraph_checkpoint_ns",
  graph_auth_user: "langgraph_auth_user",
  graph_auth_user_id: "langgraph_auth_user_id",
  graph_auth_permissions: "langgraph_auth_permissions",
} as const;

/** Names of the graph configuration file of a repository, the neutral one first. */
export const graphConfigFileNames = ["graph.json", "langgraph.json"] as const;

/** Which names a request carries: `graph` is the neutral spelling, `langgraph` the hosted service's. */
export type Dialect = "graph" | "langgraph";

/** `auto`: brand names to the service's own hosts; elsewhere what the server's responses have used so far, else the neutral names. */
export type DialectSetting = "auto" | Dialect;

const namePairs = Object.entries(brandNames);
const brandByNeutral: ReadonlyMap<string, string> = new Map(namePairs);
const neutralByBrand: ReadonlyMap<string, string> = new Map(namePairs.map(([neutral, brand]) => [brand, neutral]));

type Fields = Record<string, unknown>;

/** A copy of `fields` under neutral names. Where a name is present in both spellings, a brand value that is not null wins over a null. */
export function toNeutralNames(fields: Fields): Fields {
  const result: Fields = {};
  for (const name of Object.keys(fields)) {
    const neutral = neutralByBrand.get(name) ?? name;
    if (result[neutral] === undefined || result[neutral] === null) result[neutral] = fields[name];
  }
  return result;
}

/** A copy of `fields`, given under neutral names, in the spelling of `dialect`. */
export function toDialect(fields: Fields, dialect: Dialect): Fields {
  if (dialect === "graph") return { ...fields };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [brandByNeutral.get(name) ?? name, value]));
}

/** A copy of `fields`, given under neutral names, with each mapped field under both names: what a server sends that clients of either spelling read. */
export function toBothNames(fields: Fields): Fields {
  const result = { ...fields };
  for (const [neutral, brand] of namePairs) {
    if (Object.hasOwn(fields, neutral)) result[brand] = fields[neutral];
  }
  return result;
}

/** The spelling that a server's object uses; `undefined` when it has no field that tells. An object with both spellings speaks both, so it reads as `graph`. */
export function dialectOf(fields: Fields): Dialect | undefined {
  const names = Object.keys(fields);
  if (names.some((name) => brandByNeutral.has(name))) return "graph";
  if (names.some((name) => neutralByBrand.has(name))) return "langgraph";
  return undefined;
}
