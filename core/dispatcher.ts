import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { isLoopback } from "./hosts.ts";

/** The variables that `EnvHttpProxyAgent` reads once, when it is made. */
const proxyVariables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"] as const;

let direct: Agent | undefined;
const throughProxy = new Map<string, EnvHttpProxyAgent>();

/**
 * The dispatcher for an address, shared by all requests of the process so that their connections are: one that honours the proxy variables,
 * except for loopback. Plain http is for loopback alone, so a proxy elsewhere must not get to read it. Idle connections keep no process alive.
 */
export function defaultDispatcher(url: string): Dispatcher {
  if (isLoopback(new URL(url).hostname)) {
    direct ??= new Agent();
    return direct;
  }
  const variables = JSON.stringify(proxyVariables.map((name) => process.env[name]));
  const agent = throughProxy.get(variables) ?? new EnvHttpProxyAgent();
  throughProxy.set(variables, agent);
  return agent;
}
