import { z } from "zod";
import { type Dialect, type DialectSetting, dialectOf, toDialect, toNeutralNames } from "./dialect.ts";
import { isServiceHost } from "./hosts.ts";
import type { DeploymentPatchRequest } from "./wire/deployment.ts";

type Wire = Record<string, unknown>;

/** How one control plane spells field names: set by the user, or learnt from what it answers. */
export class Spelling {
  readonly #setting: DialectSetting;
  readonly #baseUrl: string;
  #observed: Dialect | undefined;

  constructor(setting: DialectSetting, baseUrl: string) {
    this.#setting = setting;
    this.#baseUrl = baseUrl;
  }

  /** The spelling that requests carry now. */
  get dialect(): Dialect {
    if (this.#setting !== "auto") return this.#setting;
    if (isServiceHost(new URL(this.#baseUrl).hostname)) return "langgraph";
    return this.#observed ?? "graph";
  }

  /** A request, given under neutral names, as it is sent. */
  toWire<Request extends DeploymentPatchRequest>(request: Request): Wire {
    const config = request.source_revision_config;
    if (config === undefined || config === null) return request as Wire;
    return { ...request, source_revision_config: toDialect(config, this.dialect) };
  }

  /** `schema`, read from a body in either spelling; the body's own spelling is remembered. */
  neutral<Body>(schema: z.ZodType<Body>): z.ZodType<Body> {
    const convert = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(convert);
      if (typeof value !== "object" || value === null) return value;
      const record = value as Wire;
      if (Array.isArray(record.resources)) return { ...record, resources: record.resources.map(convert) };
      const config = record.source_revision_config;
      if (typeof config !== "object" || config === null || Array.isArray(config)) return value;
      this.#observed = dialectOf(config as Wire) ?? this.#observed;
      return { ...record, source_revision_config: toNeutralNames(config as Wire) };
    };
    return z.preprocess(convert, schema) as unknown as z.ZodType<Body>;
  }
}
