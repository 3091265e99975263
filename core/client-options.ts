import type { Dispatcher } from "undici";
import type { Clock } from "./clock.ts";
import type { DialectSetting } from "./dialect.ts";
import type { HttpLimits } from "./http-limits.ts";
import type { Logger } from "./logger.ts";
import type { Redactor } from "./redact.ts";

export interface ControlPlaneOptions {
  /** For example `https://api.host.langchain.com` or `https://<host>/api-host`. */
  baseUrl: string;
  /** Hosts beside loopback that `baseUrl` may name with plain http: each `host` or `host:port`. @default none */
  allowHttpHosts?: readonly string[] | undefined;
  /** Sent as `X-Api-Key`. One of `apiKey` and `bearerToken` is needed. */
  apiKey?: string | undefined;
  /** Sent as `Authorization: Bearer`. */
  bearerToken?: string | undefined;
  /** Sent as `X-Tenant-Id`; absent: the key's own workspace. */
  workspaceId?: string | undefined;
  /** @default "auto" */
  dialect?: DialectSetting;
  /** @default `defaultHttpLimits` */
  limits?: Partial<HttpLimits>;
  /** @default nothing is logged */
  logger?: Logger;
  /** Holds the values that no message may show; the key is added to it. @default a new one */
  redactor?: Redactor;
  /** @default the system's clock */
  clock?: Clock;
  /** In [0, 1), for the jitter of repetitions. @default Math.random */
  random?: () => number;
  /** An undici dispatcher. @default one that honours the proxy variables */
  dispatcher?: Dispatcher;
  /** Added to the `User-Agent`. */
  userAgent?: string;
}

/** Per-call options. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Bound of the call with its repetitions, in milliseconds. */
  deadlineMs?: number | undefined;
}
