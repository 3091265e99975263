import { parseBaseUrl, parseHttpHosts, type Region, regionBaseUrls, regionOf } from "./client/connection.ts";
import { ConfigError } from "./client/errors.ts";
import type { DialectSetting } from "./client/wire/conventions.ts";

/** Connection settings from one source: explicit arguments, the environment, or Pulumi config and the file. */
export interface SettingsInput {
  apiKey?: string | undefined;
  /** Name of the environment variable that holds the API key, instead of the key itself. */
  apiKeyEnv?: string | undefined;
  workspaceId?: string | undefined;
  region?: string | undefined;
  baseUrl?: string | undefined;
  dialect?: string | undefined;
  /** Additional hosts to whose agent servers the API key may be sent. */
  agentHosts?: readonly string[] | undefined;
  /**
   * Hosts besides loopback that may be reached over plain http, each as `host` or `host:port`, in a list or separated
   * by commas.
   */
  allowHttpHosts?: readonly string[] | string | undefined;
}

/** Where to connect and as whom. */
export interface Settings {
  apiKey: string;
  /** Sent as `X-Tenant-Id`; `undefined` for the key's own workspace. */
  workspaceId: string | undefined;
  /** Without a trailing slash; that of a self-hosted installation ends in `/api-host`. */
  baseUrl: string;
  dialect: DialectSetting;
  agentHosts: readonly string[];
  /** In lower case, each `host` or `host:port`. */
  allowHttpHosts: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Sources in order of precedence. */
export interface SettingsSources {
  /** What the caller passed: arguments of a program, inputs of the Action, options of a command. */
  explicit?: SettingsInput;
  env: Environment;
  /** Pulumi config or the file, used after the environment. */
  fallback?: SettingsInput;
  /**
   * How error messages name the explicit source and the fallback, and what they advise to set for a missing key.
   * `advised` defaults to `GRAPHDEPLOY_API_KEY`.
   */
  names?: { explicit?: string; fallback?: string; advised?: string };
}

/** The settings, or all problems with them. `hasApiKey` is whether any source has a key, valid or not. */
export type ResolvedSettings = { hasApiKey: boolean } & (
  | { settings: Settings; problems: readonly [] }
  | { settings: undefined; problems: readonly ConfigError[] }
);

/** The service's own variables, used last: those of its deploy CLI, and others in common use. */
const serviceVariables = {
  apiKey: ["LANGSMITH_API_KEY", "LANGGRAPH_HOST_API_KEY", "LANGCHAIN_API_KEY"],
  workspaceId: ["LANGSMITH_WORKSPACE_ID", "LANGSMITH_TENANT_ID"],
  baseUrl: ["LANGGRAPH_HOST_URL"],
} as const;

const dialects: readonly string[] = ["auto", "graph", "langgraph"] satisfies DialectSetting[];

/**
 * The settings of a connection: an explicit argument wins over the environment (`GRAPHDEPLOY_*`), which wins over the
 * fallback, which wins over the service's own variables. Without a base URL or region, the region is US.
 *
 * `problems` holds all problems at once: a missing key (with every place that was searched), an unknown region or
 * dialect, a base URL over plain http to a host that isn't allowed.
 */
export function resolveSettings(sources: SettingsSources): ResolvedSettings {
  const { explicit = {}, env, fallback = {} } = sources;
  const levels = [explicit, settingsInEnvironment(env), fallback];
  const first = <Name extends keyof SettingsInput>(name: Name): SettingsInput[Name] =>
    levels.map((level) => level[name]).find((value) => value !== undefined && value !== "");
  const fromService = (names: readonly string[]) => names.map((name) => env[name]).find((value) => value);

  const problems: ConfigError[] = [];
  const collect = <Value>(resolve: () => Value): Value | undefined => {
    try {
      return resolve();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(error);
      return undefined;
    }
  };
  let hasApiKey = true;
  const apiKey = collect(() => {
    const key = resolveApiKey(levels, env) ?? fromService(serviceVariables.apiKey);
    hasApiKey = key !== undefined;
    return key === undefined ? refuseMissingKey(sources) : headerValue("apiKey", key);
  });
  const workspaceId = collect(() => {
    const id = first("workspaceId") ?? fromService(serviceVariables.workspaceId);
    return id === undefined ? undefined : headerValue("workspaceId", id);
  });
  const allowHttpHosts = collect(() => parseHttpHosts(first("allowHttpHosts") ?? []));
  // Without the allowed hosts, the base URL can't be judged.
  const baseUrl = allowHttpHosts && collect(() => resolveBaseUrl(levels, allowHttpHosts, env));
  const dialect = collect(() => parseDialect(first("dialect") ?? "auto"));
  if (!apiKey || !dialect || !allowHttpHosts || !baseUrl || problems.length > 0) {
    return { settings: undefined, problems, hasApiKey };
  }
  const agentHosts = (first("agentHosts") ?? []).filter((host) => host !== "");
  return { settings: { apiKey, workspaceId, baseUrl, dialect, agentHosts, allowHttpHosts }, problems: [], hasApiKey };
}

function settingsInEnvironment(env: Environment): SettingsInput {
  return {
    apiKey: env.GRAPHDEPLOY_API_KEY,
    workspaceId: env.GRAPHDEPLOY_WORKSPACE_ID,
    region: env.GRAPHDEPLOY_REGION,
    baseUrl: env.GRAPHDEPLOY_BASE_URL,
    dialect: env.GRAPHDEPLOY_DIALECT,
    agentHosts: env.GRAPHDEPLOY_AGENT_HOSTS?.split(",").map((host) => host.trim()),
    allowHttpHosts: env.GRAPHDEPLOY_ALLOW_HTTP_HOSTS,
  };
}

function resolveApiKey(levels: readonly SettingsInput[], env: Environment): string | undefined {
  for (const { apiKey, apiKeyEnv } of levels) {
    if (apiKey) return apiKey;
    if (!apiKeyEnv) continue;
    const value = env[apiKeyEnv];
    if (value) return value;
    throw new ConfigError(`apiKeyEnv: the environment variable ${apiKeyEnv} is not set.`, {
      path: "apiKeyEnv",
      hint: `Set ${apiKeyEnv} to an API key, or name another variable.`,
    });
  }
  return undefined;
}

/**
 * `text` without surrounding white space. @throws {@link ConfigError}, which doesn't repeat it, since it may be a key
 */
function headerValue(path: string, text: string): string {
  const trimmed = text.trim();
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new ConfigError(
    `${path}: the value is blank, or has a space, a line break or another character that a header can't carry.`,
    { path, hint: "Copy it again, without quotes around it." },
  );
}

function refuseMissingKey({ names }: SettingsSources): never {
  const places = [
    names?.explicit ?? "the apiKey argument",
    "GRAPHDEPLOY_API_KEY",
    ...(names?.fallback === undefined ? [] : [names.fallback]),
    ...serviceVariables.apiKey,
  ];
  throw new ConfigError(`No API key: looked for ${places.slice(0, -1).join(", ")} and ${places.at(-1)}.`, {
    path: "apiKey",
    hint: `Set ${names?.advised ?? "GRAPHDEPLOY_API_KEY"} to a key of your workspace.`,
  });
}

function parseDialect(text: string): DialectSetting {
  if (dialects.includes(text)) return text as DialectSetting;
  throw new ConfigError(`dialect: ${JSON.stringify(text)} is unknown.`, {
    path: "dialect",
    hint: `Use one of ${dialects.join(", ")}.`,
  });
}

function resolveBaseUrl(levels: readonly SettingsInput[], allowHttpHosts: readonly string[], env: Environment): string {
  for (const { baseUrl, region } of levels) {
    if (baseUrl) {
      const parsed = parseBaseUrl(baseUrl, allowHttpHosts);
      if (region && regionBaseUrls[parseRegion(region)] !== parsed) {
        throw new ConfigError(`region ${JSON.stringify(region)} and baseUrl ${parsed} name different control planes.`, {
          path: "baseUrl",
          hint: "Set one of the two.",
        });
      }
      return parsed;
    }
    if (region) return regionBaseUrls[parseRegion(region)];
  }
  for (const name of serviceVariables.baseUrl) {
    const value = env[name];
    if (value) return parseBaseUrl(value, allowHttpHosts);
  }
  // The service's API endpoint isn't its control plane, but shows the region.
  const region = env.LANGSMITH_ENDPOINT === undefined ? undefined : regionOf(env.LANGSMITH_ENDPOINT);
  return regionBaseUrls[region ?? "us"];
}

function parseRegion(region: string): Region {
  if (Object.hasOwn(regionBaseUrls, region)) return region as Region;
  throw new ConfigError(`region: ${JSON.stringify(region)} is unknown.`, {
    path: "region",
    hint: `Use ${Object.keys(regionBaseUrls).join(" or ")}, or set baseUrl for a self-hosted installation.`,
  });
}
