import { lookup as resolve } from "node:dns/promises";
import { isIP } from "node:net";
import { globMatcher } from "./glob.ts";

/** A request of this server to another. */
export interface OutboundRequest {
  method: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
}

/** The response; its body is always complete. */
export interface OutboundResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Thrown for a request that the policy forbids or that failed. The message names the origin and the reason. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
}

/**
 * Header of every outbound request. The admin API, also on loopback, refuses it: clients choose the URLs of webhooks,
 * token endpoints and discovery, and could otherwise have the server call its own admin API.
 */
export const outboundHeader = "x-mock-outbound";

/** All outbound requests of a mock server: token exchange, discovery, registration and webhooks. */
export interface Outbound {
  /** Returns the addresses of the URL's host. @throws {OutboundError} for a URL that the policy forbids. */
  check(url: string): Promise<readonly string[]>;
  /** @throws {OutboundError} for a URL that the policy forbids, a timeout, or a response that is too long. */
  send(url: string, request: OutboundRequest): Promise<OutboundResponse>;
}

/** What a mock server may call, and its limits. */
export interface OutboundPolicy {
  /** Hosts beyond loopback, as `host` or `host:port`; `*` and `?` are wildcards. @default [] */
  allow?: readonly string[];
  /** The server's own URL, which is always allowed. */
  ownUrl?: () => string;
  /** Milliseconds until the whole response must have arrived. @default 10000 */
  timeout?: number;
  /** Maximum size of a response, in bytes. @default 1 MiB */
  maxBytes?: number;
  /** Resolves a name. @default the system's resolver */
  resolve?: (name: string) => Promise<Address[]>;
}

interface Address {
  address: string;
  family: number;
}

/** Whether an IP address is on loopback. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, "");
  return isIP(plain) === 4 ? plain.startsWith("127.") : plain === "::1" || plain === "0:0:0:0:0:0:0:1";
}

/**
 * The outbound policy: URLs are http or https without a user; all addresses of the name must be on loopback, unless the
 * host is on the list; the connection goes to the checked address, without resolving the name again; redirects are
 * returned, never followed.
 */
export function createOutbound(policy: OutboundPolicy = {}): Outbound {
  const { timeout = 10_000, maxBytes = 1024 * 1024, ownUrl } = policy;
  const resolveName = policy.resolve ?? ((name) => resolve(name, { all: true }));
  const listed = (policy.allow ?? []).map(globMatcher);

  async function allowedAddresses(url: URL): Promise<[Address, ...Address[]]> {
    const name = url.hostname.replace(/^\[|\]$/g, "");
    const family = isIP(name);
    let addresses: Address[];
    try {
      addresses = family === 0 ? await resolveName(name) : [{ address: name, family }];
    } catch {
      throw new OutboundError(`${url.origin} can't be reached: its name is unknown.`);
    }
    const [first, ...others] = addresses;
    if (first === undefined) throw new OutboundError(`${url.origin} can't be reached: its name has no address.`);
    const isListed = listed.some((matches) => matches(url.hostname) || matches(url.host));
    const isOwn = ownUrl !== undefined && new URL(ownUrl()).origin === url.origin;
    if (!isListed && !isOwn && !addresses.every(({ address }) => isLoopbackAddress(address))) {
      throw new OutboundError(
        `${url.origin} isn't allowed: the mock server only calls loopback and the hosts of --allow-outbound.`,
      );
    }
    return [first, ...others];
  }

  async function checked(address: string): Promise<{ url: URL; addresses: [Address, ...Address[]] }> {
    if (!URL.canParse(address)) throw new OutboundError(`"${address}" isn't a URL.`);
    const url = new URL(address);
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      throw new OutboundError(`${url.protocol} isn't allowed: the URL must begin with http:// or https://.`);
    }
    if (url.username !== "" || url.password !== "") throw new OutboundError("A URL with a user isn't allowed.");
    return { url, addresses: await allowedAddresses(url) };
  }

  return {
    async check(address) {
      return (await checked(address)).addresses.map(({ address }) => address);
    },
    async send(address, { method, headers = {}, body }) {
      const {
        url,
        addresses: [pinned],
      } = await checked(address);
      // Imported on demand: most servers never call another.
      const { Agent, request } = await import("undici");
      const agent = new Agent({
        connect: {
          lookup: (_name, options, done) =>
            options.all ? done(null, [pinned]) : done(null, pinned.address, pinned.family),
        },
      });
      try {
        const response = await request(url, {
          dispatcher: agent,
          method,
          headers: { ...headers, [outboundHeader]: "1" },
          body: body ?? null,
          signal: AbortSignal.timeout(timeout),
        });
        const chunks: Buffer[] = [];
        let size = 0;
        for await (const chunk of response.body as AsyncIterable<Buffer>) {
          size += chunk.length;
          if (size > maxBytes) throw new OutboundError(`${url.origin} responded with more than ${maxBytes} bytes.`);
          chunks.push(chunk);
        }
        const text = Buffer.concat(chunks).toString("utf8");
        const plain = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(", ")]);
        return { status: response.statusCode, headers: Object.fromEntries(plain), text };
      } catch (error) {
        if (error instanceof OutboundError) throw error;
        const isLate = (error as Error).name === "TimeoutError" || (error as Error).name === "AbortError";
        throw new OutboundError(
          isLate ? `${url.origin} didn't respond within ${timeout} ms.` : `${url.origin} can't be reached.`,
        );
      } finally {
        void agent.destroy();
      }
    },
  };
}
