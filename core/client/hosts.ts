import { ConfigError } from "./errors.ts";

/** The service's own regions and their control planes. */
export const regionBaseUrls = {
  us: "https://api.host.langchain.com",
  eu: "https://eu.api.host.langchain.com",
} as const;

export type Region = keyof typeof regionBaseUrls;

const webOrigins: Readonly<Record<Region, string>> = {
  us: "https://smith.langchain.com",
  eu: "https://eu.smith.langchain.com",
};

/** Whether a host name stands for the loopback interface. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}

/**
 * Whether plain http to `url` is allowed: to loopback, or to a host in `allowed`. An entry with a port allows only that
 * port. There are no wildcards.
 */
export function isHttpAllowed({ hostname, port }: URL, allowed: readonly string[]): boolean {
  const host = hostname.toLowerCase();
  return isLoopback(host) || allowed.includes(host) || allowed.includes(`${host}:${port === "" ? "80" : port}`);
}

/** Whether a host belongs to the hosted service, which uses the brand names of fields. */
export function isServiceHost(hostname: string): boolean {
  const name = hostname.toLowerCase();
  return name === "langchain.com" || name.endsWith(".langchain.com");
}

/** The region of a control plane or API host; `undefined` for other hosts. */
export function regionOf(url: string): Region | undefined {
  const hostname = URL.parse(url)?.hostname.toLowerCase();
  if (hostname === undefined || !isServiceHost(hostname)) return undefined;
  return hostname.startsWith("eu.") ? "eu" : "us";
}

/**
 * The address of a deployment's web page, which a self-hosted installation serves on the same host; `undefined` on
 * loopback.
 */
export function deploymentWebUrl(baseUrl: string, tenantId: string, deploymentId: string): string | undefined {
  const url = new URL(baseUrl);
  if (isLoopback(url.hostname)) return undefined;
  const region = regionOf(baseUrl);
  const origin = region === undefined ? url.origin : webOrigins[region];
  return `${origin}/o/${encodeURIComponent(tenantId)}/host/deployments/${encodeURIComponent(deploymentId)}`;
}

/**
 * The hosts that may be reached over plain http, in lower case, from a list or a comma-separated string.
 * @throws {@link ConfigError} for an entry that isn't a host name or address
 */
export function parseHttpHosts(given: readonly string[] | string): string[] {
  const entries = typeof given === "string" ? given.split(",") : given;
  const fail = (text: string): never => {
    throw new ConfigError(`allowHttpHosts: ${text}.`, {
      path: "allowHttpHosts",
      hint: "Name each host by itself, as host or host:port, for example mock:8124.",
    });
  };
  if (!Array.isArray(entries)) return fail("it is neither a list of hosts nor a string");
  const hosts = entries.map((entry) => String(entry).trim().toLowerCase()).filter((entry) => entry !== "");
  for (const host of hosts) {
    if (!/^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/.test(host)) fail(`${JSON.stringify(host)} is not a host`);
  }
  return hosts;
}

/**
 * A control plane's address without a trailing slash.
 * @throws {@link ConfigError} for what isn't a URL, or holds more than origin and path, and where a key could be read
 * in transit
 */
export function parseBaseUrl(text: string, allowHttpHosts: readonly string[]): string {
  const url = URL.parse(text);
  const fail = (why: string, hint?: string): never => {
    throw new ConfigError(`baseUrl: ${JSON.stringify(url === null ? text : url.origin + url.pathname)} ${why}.`, {
      path: "baseUrl",
      hint: hint ?? `Write it like https://<host>/api-host (self-hosted) or ${regionBaseUrls.us}.`,
    });
  };
  if (url === null) return fail("is not a URL");
  if (url.username !== "" || url.password !== "") return fail("contains a user name or password");
  if (url.search !== "" || url.hash !== "") return fail("has a query or fragment");
  const isEncrypted = url.protocol === "https:";
  if (!isEncrypted && !(url.protocol === "http:" && isHttpAllowed(url, allowHttpHosts))) {
    return fail(
      "isn't https: the API key could be read in transit",
      url.protocol !== "http:"
        ? undefined
        : `Use https. To allow a host inside your own cluster or Compose network, name it: GRAPHDEPLOY_ALLOW_HTTP_HOSTS=${url.host} (or allowHttpHosts of a Provider).`,
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}
