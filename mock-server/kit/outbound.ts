import { lookup as resolve } from "node:dns/promises";
import { isIP } from "node:net";
import { globMatcher } from "./glob.ts";

/** A request that this server makes of another. */
export interface OutboundRequest {
  method: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
}

/** The answer to it; the body is cut off by an error, never in the middle. */
export interface OutboundResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** A request that the policy forbids, or that failed; the message says which and why. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
}

/**
 * The header that every call of a mock server has. The admin API refuses it: callers choose the addresses of webhooks, token endpoints and discovery, and
 * the server's own admin API is on loopback as well.
 */
export const outboundHeader = "x-mock-outbound";

/** The only way in which a mock server calls others: token exchange, discovery, registration, web hooks. */
export interface Outbound {
  /** @throws {OutboundError} for an address that isn't allowed. */
  check(url: string): Promise<void>;
  /** @throws {OutboundError} for an address that isn't allowed, no answer in time, or one that is too long. */
  send(url: string, request: OutboundRequest): Promise<OutboundResponse>;
}

/** What a mock server may call, and how much of it. */
export interface OutboundPolicy {
  /** Hosts beyond loopback, as `host` or `host:port`; `*` and `?` are wild. @default [] */
  allow?: readonly string[];
  /** An address that is always allowed: the server's own. */
  ownUrl?: () => string;
  /** Milliseconds until an answer must be there, whole. @default 10000 */
  timeout?: number;
  /** Longest answer in bytes. @default 1 MiB */
  maxBytes?: number;
  /** Finds the addresses of a name. @default the system's resolver */
  resolve?: (name: string) => Promise<{ address: string; family: number }[]>;
}

/** Whether an IP address means this machine. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, "");
  return isIP(plain) === 4 ? plain.startsWith("127.") : plain === "::1" || plain === "0:0:0:0:0:0:0:1";
}

/**
 * The policy: http or https without a user in the address; every address that the name resolves to is on loopback, unless the host is on the
 * list; the connection goes to the address that was checked, whatever the name resolves to by then; redirects are answers, never followed.
 */
export function createOutbound(policy: OutboundPolicy = {}): Outbound {
  const { timeout = 10_000, maxBytes = 1024 * 1024, ownUrl } = policy;
  const resolveName = policy.resolve ?? ((name) => resolve(name, { all: true }));
  const listed = (policy.allow ?? []).map(globMatcher);

  async function allowedAddress(url: URL): Promise<{ address: string; family: number }> {
    const name = url.hostname.replace(/^\[|\]$/g, "");
    const family = isIP(name);
    let addresses: { address: string; family: number }[];
    try {
      addresses = family === 0 ? await resolveName(name) : [{ address: name, family }];
    } catch {
      throw new OutboundError(`${url.origin} can't be reached: its name isn't known.`);
    }
    const [first] = addresses;
    if (first === undefined) throw new OutboundError(`${url.origin} can't be reached: its name has no address.`);
    const isListed = listed.some((matches) => matches(url.hostname) || matches(url.host));
    const isOwn = ownUrl !== undefined && new URL(ownUrl()).origin === url.origin;
    if (!isListed && !isOwn && !addresses.every(({ address }) => isLoopbackAddress(address))) {
      throw new OutboundError(
        `${url.origin} isn't allowed: the mock server calls nothing but loopback and the hosts given by --allow-outbound.`,
      );
    }
    return first;
  }

  async function checked(address: string): Promise<{ url: URL; pinned: { address: string; family: number } }> {
    if (!URL.canParse(address)) throw new OutboundError(`"${address}" is no URL.`);
    const url = new URL(address);
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      throw new OutboundError(`${url.protocol} isn't allowed: the address begins with http:// or https://.`);
    }
    if (url.username !== "" || url.password !== "") throw new OutboundError("An address with a user isn't allowed.");
    return { url, pinned: await allowedAddress(url) };
  }

  return {
    async check(address) {
      await checked(address);
    },
    async send(address, { method, headers = {}, body }) {
      const { url, pinned } = await checked(address);
      // Most servers never call another.
      const { Agent, request } = await import("undici");
      const agent = new Agent({
        connect: {
          lookup: (_name, options, done) =>
            options.all ? done(null, [pinned]) : done(null, pinned.address, pinned.family),
        },
      });
      try {
        const answer = await request(url, {
          dispatcher: agent,
          method,
          headers: { ...headers, [outboundHeader]: "1" },
          body: body ?? null,
          signal: AbortSignal.timeout(timeout),
        });
        const chunks: Buffer[] = [];
        let size = 0;
        for await (const chunk of answer.body as AsyncIterable<Buffer>) {
          size += chunk.length;
          if (size > maxBytes) throw new OutboundError(`${url.origin} answered with more than ${maxBytes} bytes.`);
          chunks.push(chunk);
        }
        const text = Buffer.concat(chunks).toString("utf8");
        const plain = Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(", ")]);
        return { status: answer.statusCode, headers: Object.fromEntries(plain), text };
      } catch (error) {
        if (error instanceof OutboundError) throw error;
        const isLate = (error as Error).name === "TimeoutError" || (error as Error).name === "AbortError";
        throw new OutboundError(
          isLate ? `${url.origin} gave no answer within ${timeout} ms.` : `${url.origin} can't be reached.`,
        );
      } finally {
        void agent.destroy();
      }
    },
  };
}
