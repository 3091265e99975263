import type { HeaderPatterns } from "../kit/http/header-patterns.ts";

/** What a project's configuration file says about its agent server, as plain data. */
export interface ProjectSettings {
  /** The headers of a request that graphs can read in `configurable`; `null`: `user-agent`, and those with `x-`. */
  configurableHeaders: HeaderPatterns | null;
  /** The headers with which requests are logged; `null`: requests aren't logged. */
  loggedHeaders: HeaderPatterns | null;
  /** The time to live of threads whose request has none; `null`: they don't expire. */
  threadTtl: ThreadTtlSettings | null;
  itemTtl: ItemTtlSettings;
  webhooks: WebhookSettings;
  /** Additions to the OpenAPI document. */
  security: SecuritySettings | null;
}

/** The project of the live revision, which may change while its agent server runs. */
export interface CurrentProject {
  settings: ProjectSettings;
  /** The app of the project; `null`: it has none. */
  app: AppForWebhooks | null;
}

/** Receives the webhooks whose URL is a path. */
export interface AppForWebhooks {
  /** Whether a route of the app handles a POST there. */
  takes(path: string): boolean;
  /** Returns the status of the app's response; `undefined` when it fails. */
  send(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<number | undefined>;
}

/** Times are in minutes. */
export interface ThreadTtlSettings {
  strategy: "delete" | "keep_latest";
  minutes: number | null;
  /** Threads expire at multiples of this interval; `null`: at their time. */
  sweepMinutes: number | null;
  /** Maximum number of threads that expire at once; `null`: all that are due. */
  sweepLimit: number | null;
}

/** Times are in minutes. */
export interface ItemTtlSettings {
  /** The time to live of items without one; `null`: they don't expire. */
  minutes: number | null;
  /** Whether reading an item restarts its time to live, unless the request says. */
  refreshOnRead: boolean;
  /** Items expire at multiples of this interval; `null`: at their time. */
  sweepMinutes: number | null;
}

export interface WebhookSettings {
  /** Whether webhooks are accepted, but not sent. */
  isDisabled: boolean;
  headers: Readonly<Record<string, string>>;
  /** The fields of a run that are sent; `null`: all. */
  fields: readonly string[] | null;
  urls: WebhookUrlPolicy;
}

export interface WebhookUrlPolicy {
  requiresHttps: boolean;
  /** Host names, or `*.` and a domain for its subdomains; empty: any. */
  domains: readonly string[];
  /** Empty: any. */
  ports: readonly number[];
  /** In characters. */
  maxLength: number;
  refusesLoopback: boolean;
  refusesPrivateAddresses: boolean;
}

/** Parts of an OpenAPI document. */
export interface SecuritySettings {
  schemes: Readonly<Record<string, unknown>>;
  /** Requirements of all operations. */
  requirements: readonly Record<string, unknown>[] | null;
  /** Requirements by path template and upper-case method. */
  byPath: Readonly<Record<string, Readonly<Record<string, readonly Record<string, unknown>[]>>>>;
}

/** The settings of a deployment without a project, and of a project whose file says nothing. */
export const defaultProjectSettings: ProjectSettings = {
  configurableHeaders: null,
  loggedHeaders: null,
  threadTtl: null,
  itemTtl: { minutes: null, refreshOnRead: true, sweepMinutes: null },
  webhooks: {
    isDisabled: false,
    headers: {},
    fields: null,
    urls: {
      requiresHttps: false,
      domains: [],
      ports: [],
      maxLength: 65_536,
      refusesLoopback: false,
      refusesPrivateAddresses: false,
    },
  },
  security: null,
};
