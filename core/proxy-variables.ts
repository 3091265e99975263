import { ConfigError } from "./errors.ts";
import { isHttpAllowed, isLoopback } from "./hosts.ts";

/** Each variable of a proxy by its two names, in the order in which undici's `EnvHttpProxyAgent` reads them: a name that is set hides the next. */
const proxyVariables = [
  ["https_proxy", "HTTPS_PROXY"],
  ["http_proxy", "HTTP_PROXY"],
] as const;

/**
 * Whether an address is reached without any proxy: loopback, and the hosts that plain http is allowed to, because a proxy could read the key in
 * plain http.
 */
export function isReachedDirectly(url: string, allowHttpHosts: readonly string[]): boolean {
  const parsed = new URL(url);
  return isLoopback(parsed.hostname) || (parsed.protocol === "http:" && isHttpAllowed(parsed, allowHttpHosts));
}

/**
 * Refuses a proxy that no request to `url` could be sent through. The message doesn't repeat the value, which may hold a password.
 * @throws {@link ConfigError} naming the variable.
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
    // A user name or password with a percent sign of its own, which undici decodes.
    decodeURIComponent(url.username + url.password);
    return true;
  } catch {
    return false;
  }
}
