import type { Confirmation } from "./admin/admin-client.ts";
import type { FixtureEntry } from "./admin/journal-fixture.ts";
import type { Seed, Seeded } from "./admin/seed.ts";
import type { Snapshot } from "./admin/snapshot.ts";
import type { ScriptedGraph } from "./agent-server/engine/scripted-graph.ts";
import type { Push } from "./control-plane/deployments/deployment-registry.ts";
import type { IntegrationSeed } from "./control-plane/integrations/integration-seed.ts";
import type { TransitionMode } from "./control-plane/revisions/rollout.ts";
import type { TransitionRule, TransitionSettings } from "./control-plane/revisions/transition-settings.ts";
import type { RevisionBody } from "./control-plane/schemas.ts";
import type { FaultRule } from "./faults/fault-rule.ts";
import type { FaultReport } from "./faults/fault-table.ts";
import type { RecordedRequest, RequestCounts } from "./journal/journal.ts";
import type { Clock } from "./kit/clock.ts";
import type { Certificate } from "./kit/http/http-server.ts";
import type { ServerInfo } from "./server-info.ts";

export interface MockServerOptions {
  /** 0 picks a free port. @default 8124 */
  port?: number;
  /** @default "127.0.0.1" */
  host?: string;
  /**
   * Values of the Host header, as `host` or `host:port`, that a server on loopback accepts besides loopback names and
   * the host of `publicUrl`.
   * @default none
   */
  allowedHosts?: readonly string[];
  /** Serves https with this certificate instead of http. */
  certificate?: Certificate;
  /**
   * The workspaces of each API key; requests with a key of several workspaces must name one. Absent: any non-empty key
   * may access any workspace.
   */
  apiKeys?: Record<string, readonly string[]>;
  /**
   * How revisions progress: `immediate` (final before the response is sent), `manual` (when advanced), or
   * `time:<duration>` for the whole rollout, of which a build takes 45 % and a deploy 25 % (of an image: 50 %).
   * @default "time:5s"
   */
  transitions?: TransitionMode;
  /** The URL at which clients reach the server, for the URLs in responses. @default its own */
  publicUrl?: string;
  /**
   * Refuse what is otherwise tolerated: a missing X-Tenant-Id, unknown fields, an unknown integration.
   * @default false
   */
  strict?: boolean;
  /** Repository integrations. @default one that accepts any repository */
  integrations?: readonly IntegrationSeed[];
  /**
   * Hosts beyond loopback that the server may call (token exchange, discovery): `host` or `host:port`; `*` and `?` are
   * wildcards.
   * @default none
   */
  allowOutbound?: readonly string[];
  /** Makes identifiers and the probabilities of faults reproducible. @default random */
  seed?: number | string;
  /** Prints each request as human-readable text or as JSON. @default nothing is printed */
  logFormat?: "pretty" | "json";
  /**
   * Called with what requests do in vain, such as a parameter that an operation doesn't know: each once, without
   * secrets.
   * @default prints it on stderr
   */
  onWarning?: (message: string) => void;
  /**
   * A folder for the state of control planes, agent servers and clock, created if necessary, from which a later server
   * continues; one server at a time can use it. Transitions and faults aren't stored.
   * @default none: the state is lost when the process ends
   */
  dataDirectory?: string;
  /** @default a clock with the machine's time that can be frozen and advanced */
  clock?: Clock;
  /**
   * Every request to the admin API needs it as a bearer token. Off loopback, the admin API is disabled without a token.
   */
  adminToken?: string;
  /**
   * Folders by the address of the repository that they stand for, in any notation: a build loads the graph
   * configuration file of the folder, and the agent server runs its graphs in a worker.
   * @default none: agent servers run scripted graphs
   */
  repositories?: Readonly<Record<string, string>>;
  /** Run the code of uploaded tarballs in the same way. @default false: tarballs are only validated */
  runUploads?: boolean;
  /**
   * Memory limit of each worker of a project's graphs, buffers included, in MiB; at least 64. A run that exceeds it
   * fails with `GraphOutOfMemory`.
   * @default 1024
   */
  workerMemoryMb?: number;
  /** Scripted graphs beside the built-in ones; one with the id of a built-in graph replaces it. */
  graphs?: readonly ScriptedGraph[];
}

/** Selects recorded requests; a request must match every field that is given. */
export interface RequestsFilter {
  method?: string;
  /** Path without the query; `*` and `?` are wildcards. */
  path?: string;
  operation?: string;
  status?: number;
  /** The workspace. */
  tenant?: string;
  /** Only requests from this time on, by the server's clock. */
  since?: Date;
  /** Only requests for a path or method that the server doesn't have. */
  unmatched?: boolean;
}

/** Settings for the progress of new revisions. */
export interface Transitions {
  get(): { mode: TransitionMode; rules: TransitionRule[] };
  /** Replaces the given settings and leaves the others. @throws {z.ZodError} for invalid settings. */
  set(settings: TransitionSettings): void;
}

/** Faults of requests. The first rule that matches a request applies. */
export interface Faults {
  /**
   * Adds rules after the existing ones.
   * @throws {z.ZodError} for an invalid rule; {RangeError} for an id in use or an unknown operation.
   */
  add(...rules: FaultRule[]): FaultReport[];
  /** Replaces all rules. @throws as {@link add} */
  replace(rules: FaultRule[]): FaultReport[];
  /** The rules, each with how often it matched and was applied. */
  list(): FaultReport[];
  /** Removes a rule. Returns whether it existed. */
  remove(id: string): boolean;
  clear(): void;
}

/** A running mock server. */
export interface MockServer extends AsyncDisposable {
  /** The cloud control plane, for example `http://127.0.0.1:8124`. */
  readonly url: string;
  /** The self-hosted control plane: `…/api-host`. */
  readonly selfHostedUrl: string;
  /** Whether the server continues from a data directory with deployments or listeners. */
  readonly isContinued: boolean;
  readonly clock: Clock;
  readonly transitions: Transitions;
  readonly faults: Faults;
  readonly revisions: {
    /** Moves a revision to its next status, or to `to`. */
    advance(id: string, to?: string): Promise<RevisionBody>;
  };
  readonly deployments: {
    /** Moves a deletion to its next step. */
    advance(id: string): Promise<void>;
  };
  /** The recorded requests, oldest first: redacted, and without those of the admin API. */
  requests(filter?: RequestsFilter): RecordedRequest[];
  /** Numbers of requests by operation and status. */
  counts(filter?: RequestsFilter): RequestCounts;
  /** The requests that got a response, as a fixture for `nock.define`. */
  fixture(filter?: RequestsFilter): FixtureEntry[];
  /** Adds deployments, listeners and integrations: all of them or, when one is refused, none. */
  seed(seed: Seed): Promise<Seeded>;
  readonly snapshot: {
    /** A snapshot of the control planes for `put`, with secrets. */
    get(): Promise<Snapshot>;
    /** Replaces everything with a snapshot. With a data directory, needs `confirm`. */
    put(snapshot: Snapshot, options?: Confirmation): Promise<void>;
  };
  /** Simulates a push to a repository; returns the revisions that it creates. */
  push(push: Push): Promise<RevisionBody[]>;
  /** Information about the server, as in the admin API. */
  info(): Promise<ServerInfo>;
  /**
   * Removes deployments, listeners, requests, faults and transition settings; the clock stays as it is. With a data
   * directory, needs `confirm`.
   */
  reset(options?: Confirmation): Promise<void>;
  /** Stops listening and closes all connections. */
  close(options?: {
    /** Time that responses in progress get to finish, in milliseconds. @default 0 */
    gracePeriodMs?: number;
  }): Promise<void>;
}
