import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import type { Redactor } from "../redact.ts";
import { formatDuration } from "../time.ts";
import { ConfigError, ConnectionError, TimeoutError } from "./errors.ts";
import type { AttemptFailure, RequestTarget } from "./retry.ts";

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

/**
 * The two names of each proxy variable, in the order in which undici's `EnvHttpProxyAgent` reads them: the first that
 * is set wins.
 */
const proxyVariables = [
  ["https_proxy", "HTTPS_PROXY"],
  ["http_proxy", "HTTP_PROXY"],
] as const;

let direct: Agent | undefined;
const throughProxy = new Map<string, EnvHttpProxyAgent>();

/**
 * The dispatcher for an address, shared by the process so that clients share connections. It honours the proxy
 * variables, except where the key goes over plain http: a proxy could read it. Idle connections don't keep the process
 * alive.
 * @throws {@link ConfigError} when a proxy variable doesn't hold the address of a proxy
 */
export function defaultDispatcher(url: string, allowHttpHosts: readonly string[]): Dispatcher {
  if (isReachedDirectly(url, allowHttpHosts)) {
    direct ??= new Agent();
    return direct;
  }
  refuseUnusableProxy(process.env, url, allowHttpHosts);
  // `EnvHttpProxyAgent` reads the variables once, when it is constructed.
  const names = [...proxyVariables.flat(), "no_proxy", "NO_PROXY"];
  const variables = JSON.stringify(names.map((name) => process.env[name]));
  const agent = throughProxy.get(variables) ?? new EnvHttpProxyAgent();
  throughProxy.set(variables, agent);
  return agent;
}

/**
 * Whether an address is reached without a proxy: loopback, and hosts allowed over plain http, where a proxy could read
 * the key.
 */
function isReachedDirectly(url: string, allowHttpHosts: readonly string[]): boolean {
  const parsed = new URL(url);
  return isLoopback(parsed.hostname) || (parsed.protocol === "http:" && isHttpAllowed(parsed, allowHttpHosts));
}

/**
 * Refuses a proxy that can't carry requests to `url`. The message doesn't repeat the value, which may hold a password.
 * @throws {@link ConfigError} naming the variable
 */
export function refuseUnusableProxy(
  env: Readonly<Record<string, string | undefined>>,
  url: string,
  allowHttpHosts: readonly string[],
): void {
  if (isReachedDirectly(url, allowHttpHosts)) return;
  for (const names of proxyVariables) {
    const name = names.find((candidate) => env[candidate] !== undefined);
    const value = name === undefined ? undefined : env[name];
    if (name === undefined || !value || isProxyAddress(value)) continue;
    throw new ConfigError(`${name}: the value of this environment variable is not the address of a proxy.`, {
      hint: "Write it like http://proxy.example:3128, with its scheme in front, or unset it.",
    });
  }
}

function isProxyAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.hostname === "" || !["http:", "https:", "socks5:", "socks:"].includes(url.protocol))
    return false;
  try {
    // undici decodes the user name and password; a bare percent sign in them fails there.
    decodeURIComponent(url.username + url.password);
    return true;
  } catch {
    return false;
  }
}

/** The failure of an attempt that got no response within `timeoutMs`. */
export function timedOut(
  { method, path, baseUrl }: RequestTarget,
  timeoutMs: number,
  idempotent: boolean,
): AttemptFailure {
  const error = new TimeoutError(`${method} ${path}: no response from ${baseUrl} within ${formatDuration(timeoutMs)}.`);
  return { error, retryable: idempotent, kind: "connection" };
}

/** The failure of an attempt whose connection broke or was never established, from the error that undici threw. */
export function connectionFailed(
  { method, path, baseUrl }: RequestTarget,
  cause: unknown,
  idempotent: boolean,
  redactor: Redactor,
): AttemptFailure {
  const { code, text } = rootCause(cause);
  const sent = !neverSentCodes.has(code) && !isProxyRefusal(text);
  const message = redactor.text(`${method} ${path}: the connection to ${baseUrl} failed: ${text}.`);
  const error = new ConnectionError(message, { sent, hint: hintFor(code, text) });
  return { error, retryable: !permanentCodes.has(code) && (idempotent || !sent), kind: "connection" };
}

/** Error codes that occur only before a request is written to the connection. */
const neverSentCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_INVALID_ARG",
]);

/** Error codes that another attempt doesn't fix. */
const permanentCodes: ReadonlySet<string> = new Set(["ENOTFOUND", "UND_ERR_INVALID_ARG"]);

/** A tunnel that the proxy refused carried nothing. undici reports it only in the message. */
function isProxyRefusal(text: string): boolean {
  return text.includes("when HTTP Tunneling");
}

function hintFor(code: string, text: string): string {
  if (code === "ENOTFOUND") return "Check the base URL: this host name doesn't exist.";
  if (isProxyRefusal(text)) return "The proxy in HTTPS_PROXY refused the connection: check its address and NO_PROXY.";
  return "Check that this address can be reached from here (network, proxy, base URL), then run again.";
}

function rootCause(error: unknown): { code: string; text: string } {
  let cause: unknown = error;
  while (cause instanceof Error) {
    // A connection tried over IPv4 and IPv6 fails with one error that holds both.
    if (cause instanceof AggregateError && cause.errors.length > 0) cause = cause.errors[0];
    const { code } = cause as { code?: unknown };
    if (typeof code === "string") return { code, text: `${(cause as Error).message || code} (${code})` };
    if ((cause as Error).cause === undefined) break;
    cause = (cause as Error).cause;
  }
  return { code: "", text: cause instanceof Error ? cause.message : String(cause) };
}
