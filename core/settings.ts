import type { DialectSetting } from "./dialect.ts";
import { ConfigError } from "./errors.ts";
import { isHttpAllowed, type Region, regionBaseUrls, regionOf } from "./hosts.ts";

/** Connection settings as one source gives them: explicit arguments, the environment, or Pulumi config and the file. */
export interface SettingsInput {
  apiKey?: string | undefined;
  /** Name of the environment variable that holds the API key, instead of the key itself. */
  apiKeyEnv?: string | undefined;
  workspaceId?: string | undefined;
  region?: string | undefined;
  baseUrl?: string | undefined;
  dialect?: string | undefined;
  /** Further hosts whose agent servers may be sent the API key. */
  agentHosts?: readonly string[] | undefined;
  /** Hosts beside loopback that may be reached by plain http: each `host` or `host:port`, as a list or separated by commas. */
  allowHttpHosts?: readonly string[] | string | undefined;
}

/** Where to connect and as whom, after all sources were looked at. */
export interface Settings {
  apiKey: string;
  /** Sent as `X-Tenant-Id`; absent: the key's own workspace. */
  workspaceId: string | undefined;
  /** Without a slash at its end; a self-hosted one ends in `/api-host`. */
  baseUrl: string;
  dialect: DialectSetting;
  agentHosts: readonly string[];
  /** In lower case, each `host` or `host:port`. */
  allowHttpHosts: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Sources in the order in which they are asked. */
export interface SettingsSources {
  /** What the caller passed: arguments of a program, inputs of an action, options of a command. */
  explicit?: SettingsInput;
  env: Environment;
  /** Pulumi config or the file, asked after the environment. */
  fallback?: SettingsInput;
  /** How the explicit source and the fallback are called in messages. */
  names?: { explicit?: string; fallback?: string };
}

/** The service's own variables, asked last. Source: the deploy CLI and its users' set-ups. */
const serviceVariables = {
  apiKey: ["LANGSMITH_API_KEY", "LANGGRAPH_HOST_API_KEY", "LANGCHAIN_API_KEY"],
  workspaceId: ["LANGSMITH_WORKSPACE_ID", "LANGSMITH_TENANT_ID"],
  baseUrl: ["LANGGRAPH_HOST_URL"],
} as const;

const dialects: readonly string[] = ["auto", "graph", "langgraph"] satisfies DialectSetting[];

/**
 * The settings of a connection: an explicit argument wins over the environment (`GRAPHDEPLOY_*`), which wins over the fallback, which wins
 * over the service's own variables. Without any base URL or region it is the US region.
 * @throws {@link ConfigError} for a missing key (naming every place that was looked at), an unknown region or dialect, or a base URL that
 * isn't https (or loopback, or a host that plain http is allowed to).
 */
export function resolveSettings(sources: SettingsSources): Settings {
  const { explicit = {}, env, fallback = {} } = sources;
  const own: SettingsInput = {
    apiKey: env.GRAPHDEPLOY_API_KEY,
    workspaceId: env.GRAPHDEPLOY_WORKSPACE_ID,
    region: env.GRAPHDEPLOY_REGION,
    baseUrl: env.GRAPHDEPLOY_BASE_URL,
    dialect: env.GRAPHDEPLOY_DIALECT,
    agentHosts: env.GRAPHDEPLOY_AGENT_HOSTS?.split(",").map((host) => host.trim()),
    allowHttpHosts: env.GRAPHDEPLOY_ALLOW_HTTP_HOSTS,
  };
  const levels = [explicit, own, fallback];
  const first = <Name extends keyof SettingsInput>(name: Name): SettingsInput[Name] =>
    levels.map((level) => level[name]).find((value) => value !== undefined && value !== "");
  const fromService = (names: readonly string[]) => names.map((name) => env[name]).find((value) => value);

  const dialect = first("dialect") ?? "auto";
  if (!dialects.includes(dialect)) {
    throw new ConfigError(`dialect: ${JSON.stringify(dialect)} is unknown.`, {
      path: "dialect",
      hint: `Use one of ${dialects.join(", ")}.`,
    });
  }
  const allowHttpHosts = checkHttpHosts(first("allowHttpHosts") ?? []);
  const workspaceId = first("workspaceId") ?? fromService(serviceVariables.workspaceId);
  return {
    apiKey: headerValue(
      "apiKey",
      resolveApiKey(sources, levels) ?? fromService(serviceVariables.apiKey) ?? missingKey(sources),
    ),
    workspaceId: workspaceId === undefined ? undefined : headerValue("workspaceId", workspaceId),
    baseUrl: resolveBaseUrl(levels, allowHttpHosts) ?? baseUrlFromService(env, allowHttpHosts),
    dialect: dialect as DialectSetting,
    agentHosts: (first("agentHosts") ?? []).filter((host) => host !== ""),
    allowHttpHosts,
  };
}

function resolveApiKey(sources: SettingsSources, levels: readonly SettingsInput[]): string | undefined {
  for (const level of levels) {
    if (level.apiKey) return level.apiKey;
    if (level.apiKeyEnv) {
      const value = sources.env[level.apiKeyEnv];
      if (value) return value;
      throw new ConfigError(`apiKeyEnv: the environment variable ${level.apiKeyEnv} is not set.`, {
        path: "apiKeyEnv",
        hint: `Set ${level.apiKeyEnv} to an API key, or name another variable.`,
      });
    }
  }
  return undefined;
}

/** `text` without white space around it. The message doesn't repeat it: it may be a key. */
function headerValue(path: string, text: string): string {
  const trimmed = text.trim();
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new ConfigError(
    `${path}: the value is blank, or has a space, a line break or another character that a header can't carry.`,
    { path, hint: "Copy it again, without quotes around it." },
  );
}

function missingKey({ names }: SettingsSources): never {
  const places = [
    names?.explicit ?? "the apiKey argument",
    "GRAPHDEPLOY_API_KEY",
    ...(names?.fallback === undefined ? [] : [names.fallback]),
    ...serviceVariables.apiKey,
  ];
  throw new ConfigError(`No API key: looked for ${places.slice(0, -1).join(", ")} and ${places.at(-1)}.`, {
    path: "apiKey",
    hint: "Set GRAPHDEPLOY_API_KEY to a key of your workspace.",
  });
}

function resolveBaseUrl(levels: readonly SettingsInput[], allowHttpHosts: readonly string[]): string | undefined {
  for (const { baseUrl, region } of levels) {
    if (baseUrl) {
      const checked = checkBaseUrl(baseUrl, allowHttpHosts);
      if (region && regionBaseUrls[checkRegion(region)] !== checked) {
        throw new ConfigError(`region ${JSON.stringify(region)} and baseUrl ${checked} name two control planes.`, {
          path: "baseUrl",
          hint: "Set one of the two.",
        });
      }
      return checked;
    }
    if (region) return regionBaseUrls[checkRegion(region)];
  }
  return undefined;
}

function baseUrlFromService(env: Environment, allowHttpHosts: readonly string[]): string {
  for (const name of serviceVariables.baseUrl) {
    const value = env[name];
    if (value) return checkBaseUrl(value, allowHttpHosts);
  }
  // The service's own API endpoint is another host than its control plane, but tells the region.
  const region = env.LANGSMITH_ENDPOINT === undefined ? undefined : regionOf(env.LANGSMITH_ENDPOINT);
  return regionBaseUrls[region ?? "us"];
}

function checkRegion(region: string): Region {
  if (Object.hasOwn(regionBaseUrls, region)) return region as Region;
  throw new ConfigError(`region: ${JSON.stringify(region)} is unknown.`, {
    path: "region",
    hint: `Use ${Object.keys(regionBaseUrls).join(" or ")}, or set baseUrl for a self-hosted installation.`,
  });
}

/**
 * The hosts that plain http is allowed to, in lower case.
 * @throws {@link ConfigError} for anything but hosts by their names or addresses.
 */
export function checkHttpHosts(given: readonly string[] | string): string[] {
  const entries = typeof given === "string" ? given.split(",") : given;
  const fail = (text: string): never => {
    throw new ConfigError(`allowHttpHosts: ${text}.`, {
      path: "allowHttpHosts",
      hint: "Name each host by itself, as host or host:port, for example mock:8124.",
    });
  };
  if (!Array.isArray(entries)) return fail("it is neither a list of hosts nor a text");
  const hosts = entries.map((entry) => String(entry).trim().toLowerCase()).filter((entry) => entry !== "");
  for (const host of hosts) {
    if (!/^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/.test(host)) fail(`${JSON.stringify(host)} is not a host`);
  }
  return hosts;
}

/**
 * A control plane's address, normalized: no slash, query or fragment at its end.
 * @throws {@link ConfigError} when a key sent there could be read on its way.
 */
export function checkBaseUrl(text: string, allowHttpHosts: readonly string[]): string {
  const url = URL.parse(text);
  const fail = (why: string, hint?: string): never => {
    throw new ConfigError(`baseUrl: ${JSON.stringify(url === null ? text : url.origin + url.pathname)} ${why}.`, {
      path: "baseUrl",
      hint: hint ?? `Write it like https://<host>/api-host (self-hosted) or ${regionBaseUrls.us}.`,
    });
  };
  if (url === null) return fail("is not a URL");
  if (url.username !== "" || url.password !== "") return fail("carries a user name or password");
  if (url.search !== "" || url.hash !== "") return fail("has a query or fragment");
  const encrypted = url.protocol === "https:";
  if (!encrypted && !(url.protocol === "http:" && isHttpAllowed(url, allowHttpHosts))) {
    return fail(
      "is not https: the API key would be readable on its way",
      url.protocol !== "http:"
        ? undefined
        : `Use https. A host inside your own cluster or compose network is allowed by its name: GRAPHDEPLOY_ALLOW_HTTP_HOSTS=${url.host} (or allowHttpHosts of a Provider).`,
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}
