import { BlockList, isIP } from "node:net";
import type { WebhookUrlPolicy } from "../project-settings.ts";

/** Names of the machine that the server runs on. */
const loopbackNames: ReadonlySet<string> = new Set(["localhost", "localhost.localdomain", "host.docker.internal"]);

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");
// Connections to the unspecified address reach this machine.
loopback.addSubnet("0.0.0.0", 8);
loopback.addAddress("::", "ipv6");

const privateNetworks = new BlockList();
for (const [network, prefix] of [
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["100.64.0.0", 10],
  // Link-local: the metadata of cloud machines are there.
  ["169.254.0.0", 16],
] as const) {
  privateNetworks.addSubnet(network, prefix);
}
privateNetworks.addSubnet("fc00::", 7, "ipv6");
privateNetworks.addSubnet("fe80::", 10, "ipv6");

/** Whether a webhook goes to the project's app: its URL is a path. */
export function isForApp(url: string): boolean {
  return url.startsWith("/");
}

/** Why a project's policy forbids a webhook, as a sentence; `undefined` for one that it permits. */
export function webhookProblem(address: string, policy: WebhookUrlPolicy): string | undefined {
  const { maxLength, refusesLoopback, requiresHttps, ports, domains } = policy;
  if (address.length > maxLength) return `It has more than ${maxLength} characters (webhooks.url.max_url_length).`;
  if (isForApp(address)) {
    return refusesLoopback ? "Paths of the app are refused (webhooks.url.disable_loopback)." : undefined;
  }
  // What isn't a URL at all is refused by the policy of the server.
  const url = URL.parse(address);
  if (!url) return undefined;
  const name = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  if (requiresHttps && url.protocol !== "https:") return "It must begin with https:// (webhooks.url.require_https).";
  if (ports.length > 0 && !ports.includes(port)) return `Port ${port} isn't allowed (webhooks.url.allowed_ports).`;
  if (domains.length > 0 && !domains.some((domain) => isOf(name, domain))) {
    return `${name} isn't allowed (webhooks.url.allowed_domains).`;
  }
  return refusesLoopback && loopbackNames.has(name) ? ofThisMachine(name) : undefined;
}

/** Why a project's policy forbids the address of a webhook's host, as a sentence; `undefined` if it doesn't. */
export function addressProblem(address: string, policy: WebhookUrlPolicy): string | undefined {
  if (policy.refusesLoopback && isIn(loopback, address)) return ofThisMachine(address);
  if (!policy.refusesPrivateAddresses || !isIn(privateNetworks, address)) return undefined;
  return `${address} is in a private network, which is refused (webhooks.url.disable_private_ips).`;
}

function ofThisMachine(host: string): string {
  return `${host} is this machine, which is refused (webhooks.url.disable_loopback).`;
}

/** Whether a host is the domain or, of a domain with `*.` in front, one of its subdomains. */
function isOf(host: string, domain: string): boolean {
  return domain.startsWith("*.") ? host.endsWith(domain.slice(1)) : host === domain;
}

function isIn(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
}
