// What all resources have in common on the wire: names of fields, open enumerations, bodies of errors.
import { z } from "zod";

/**
 * Neutral names of fields and their brand names. This project writes `graph` where the hosted service's API has its
 * brand; both are read everywhere. Only this table knows the pairs.
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

/** Which names a request carries: `graph` are the neutral ones, `langgraph` the hosted service's. */
export type Dialect = "graph" | "langgraph";

/**
 * `auto` uses brand names for the service's own hosts, elsewhere the names that the server's responses have used, and
 * neutral ones until the first response.
 */
export type DialectSetting = "auto" | Dialect;

const namePairs = Object.entries(brandNames);
const brandByNeutral: ReadonlyMap<string, string> = new Map(namePairs);
const neutralByBrand: ReadonlyMap<string, string> = new Map(namePairs.map(([neutral, brand]) => [brand, neutral]));

type Fields = Record<string, unknown>;

/** A copy of `fields` with neutral names. Where a field has both names, a non-null value wins over a null. */
export function toNeutralNames(fields: Fields): Fields {
  const result: Fields = {};
  for (const name of Object.keys(fields)) {
    const neutral = neutralByBrand.get(name) ?? name;
    if (result[neutral] === undefined || result[neutral] === null) result[neutral] = fields[name];
  }
  return result;
}

/** A copy of `fields`, which have neutral names, with the names of `dialect`. */
export function toDialect(fields: Fields, dialect: Dialect): Fields {
  if (dialect === "graph") return { ...fields };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [brandByNeutral.get(name) ?? name, value]));
}

/**
 * A copy of `fields`, which have neutral names, with each mapped field under both names: what a server sends to clients
 * of either dialect.
 */
export function toBothNames(fields: Fields): Fields {
  const result = { ...fields };
  for (const [neutral, brand] of namePairs) {
    if (Object.hasOwn(fields, neutral)) result[brand] = fields[neutral];
  }
  return result;
}

/**
 * The dialect of a server's object; `undefined` when none of its fields shows it. An object with both names counts as
 * `graph`.
 */
export function dialectOf(fields: Fields): Dialect | undefined {
  const names = Object.keys(fields);
  if (names.some((name) => brandByNeutral.has(name))) return "graph";
  if (names.some((name) => neutralByBrand.has(name))) return "langgraph";
  return undefined;
}

/** The names that one control plane uses: set by the user, or learned from its responses. */
export class WireNaming {
  readonly #setting: DialectSetting;
  readonly #isServiceHost: boolean;
  #observed: Dialect | undefined;

  /** @param isServiceHost whether the control plane is the hosted service's own */
  constructor(setting: DialectSetting, isServiceHost: boolean) {
    this.#setting = setting;
    this.#isServiceHost = isServiceHost;
  }

  /** What requests use now. */
  get dialect(): Dialect {
    if (this.#setting !== "auto") return this.#setting;
    if (this.#isServiceHost) return "langgraph";
    return this.#observed ?? "graph";
  }

  /** The body to send for a request's `body`, which has neutral names. */
  toWire(body: object): object {
    const { source_revision_config: config } = body as Fields;
    if (!isFields(config)) return body;
    return { ...body, source_revision_config: toDialect(config, this.dialect) };
  }

  /** `schema` for a body in either dialect; parsing remembers which one it was. */
  fromWire<Body>(schema: z.ZodType<Body>): z.ZodType<Body> {
    const convert = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(convert);
      if (!isFields(value)) return value;
      if (Array.isArray(value.resources)) return { ...value, resources: value.resources.map(convert) };
      const config = value.source_revision_config;
      if (!isFields(config)) return value;
      this.#observed = dialectOf(config) ?? this.#observed;
      return { ...value, source_revision_config: toNeutralNames(config) };
    };
    return z.preprocess(convert, schema) as unknown as z.ZodType<Body>;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A known value or any other string: a newer server may send values that this version doesn't know. */
export type Open<Known extends string> = Known | (string & {});

/**
 * A string whose known values are documented but not enforced, so that unknown values survive a round trip. The
 * schema's metadata lists the known ones under `enum`.
 */
export function openEnum<const Known extends string>(known: readonly Known[]): z.ZodType<Open<Known>, Open<Known>> {
  return z.string().meta({ enum: [...known] });
}

/** One invalid field of a request: where (`loc`), what (`msg`), and a machine-readable `type`. */
export const validationErrorSchema = z.looseObject({
  loc: z.array(z.union([z.string(), z.int()])),
  msg: z.string(),
  type: z.string(),
});

/** Body of a 422. */
export const httpValidationErrorSchema = z.looseObject({ detail: z.array(validationErrorSchema) });

/** Body of every other error. */
export const errorDetailSchema = z.looseObject({ detail: z.string() });
