import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { isReachedDirectly, refuseUnusableProxy } from "./proxy-variables.ts";

/** The variables that `EnvHttpProxyAgent` reads once, when it is made. */
const proxyVariables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"] as const;

let direct: Agent | undefined;
const throughProxy = new Map<string, EnvHttpProxyAgent>();

/**
 * The dispatcher for an address, shared by all requests of the process so that their connections are: one that honours the proxy variables, except
 * where the key goes by plain http, which a proxy must not get to read. Idle connections keep no process alive.
 * @throws {@link ConfigError} for a proxy variable that isn't the address of a proxy.
 */
export function defaultDispatcher(url: string, allowHttpHosts: readonly string[]): Dispatcher {
  if (isReachedDirectly(url, allowHttpHosts)) {
    direct ??= new Agent();
    return direct;
  }
  refuseUnusableProxy(process.env, url, allowHttpHosts);
  const variables = JSON.stringify(proxyVariables.map((name) => process.env[name]));
  const agent = throughProxy.get(variables) ?? new EnvHttpProxyAgent();
  throughProxy.set(variables, agent);
  return agent;
}
