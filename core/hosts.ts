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

/** Whether a host name is the loopback interface, which never leaves the machine. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}

/**
 * Whether plain http to `url` is wanted: to loopback, or to a host of `allowed`. An entry with a port allows that port alone. Hosts are named one
 * by one; no entry stands for several.
 */
export function isHttpAllowed({ hostname, port }: URL, allowed: readonly string[]): boolean {
  const host = hostname.toLowerCase();
  return isLoopback(host) || allowed.includes(host) || allowed.includes(`${host}:${port === "" ? "80" : port}`);
}

/** Whether a host belongs to the hosted service, which speaks the brand names. */
export function isServiceHost(hostname: string): boolean {
  const name = hostname.toLowerCase();
  return name === "langchain.com" || name.endsWith(".langchain.com");
}

/** The region that a control plane or API host stands in; `undefined` for other hosts. */
export function regionOf(url: string): Region | undefined {
  const hostname = URL.parse(url)?.hostname.toLowerCase();
  if (hostname === undefined || !isServiceHost(hostname)) return undefined;
  return hostname.startsWith("eu.") ? "eu" : "us";
}

/** The page of a deployment for people. On a self-hosted installation it stands on the host itself; a loopback server has none. */
export function deploymentWebUrl(baseUrl: string, tenantId: string, deploymentId: string): string | undefined {
  const url = new URL(baseUrl);
  if (isLoopback(url.hostname)) return undefined;
  const region = regionOf(baseUrl);
  const origin = region === undefined ? url.origin : webOrigins[region];
  return `${origin}/o/${encodeURIComponent(tenantId)}/host/deployments/${encodeURIComponent(deploymentId)}`;
}
