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
  /** @default 8124; 0 picks a free one. */
  port?: number;
  /** @default "127.0.0.1" */
  host?: string;
  /** Names or addresses beyond loopback's own and that of `publicUrl` for which a server on loopback responds: the Host of requests, as `host` or `host:port`. @default none */
  allowedHosts?: readonly string[];
  /** Serves https with it instead of http. */
  certificate?: Certificate;
  /** The workspaces that each key may enter; requests of a key with several have to name theirs. Absent: any key that isn't empty may enter any. */
  apiKeys?: Record<string, readonly string[]>;
  /**
   * How revisions move: `immediate` (final before the response is sent), `manual` (when advanced), or `time:<duration>` for a whole rollout,
   * of which a build takes 45 % and a deploy 25 % (of an image: 50 %).
   * @default "time:5s"
   */
  transitions?: TransitionMode;
  /** The address that clients reach the server by, for the URLs in its responses. Default: its own. */
  publicUrl?: string;
  /** Refuse what servers usually forgive: a missing X-Tenant-Id, unknown request fields, an unknown integration. @default false */
  strict?: boolean;
  /** Repository integrations. @default one that accepts any repository */
  integrations?: readonly IntegrationSeed[];
  /** Hosts beyond loopback that the server may call (token exchange, discovery): `host` or `host:port`, `*` and `?` are wild. @default none */
  allowOutbound?: readonly string[];
  /** Makes the identifiers, and the chances of faults, the same in every run. */
  seed?: number | string;
  /** What is printed for each request: lines to read, or JSON. Absent: nothing. */
  logFormat?: "pretty" | "json";
  /** Called with what requests do in vain, such as a parameter that an operation doesn't know: each once, without secrets. @default prints it on stderr */
  onWarning?: (message: string) => void;
  /**
   * A folder to keep what control planes and agent servers know in, and the clock, made if it isn't there, for a later server to continue with; one server at a
   * time has it. Transitions and faults aren't part of it. @default none: all ends with the process
   */
  dataDirectory?: string;
  /** @default the machine's time, which can be frozen and advanced */
  clock?: Clock;
  /** Asked of every admin request as a bearer token. Off loopback, there is no admin API without one. */
  adminToken?: string;
  /**
   * Folders by the repository whose builds they stand for, in any spelling of its address: a build loads the graph configuration file that it finds there,
   * and the agent server runs those graphs, in a worker of their own. @default none: agent servers run scripted graphs
   */
  repositories?: Readonly<Record<string, string>>;
  /** Run the code of uploaded tarballs in the same way. @default false: they are validated only */
  runUploads?: boolean;
  /** What each worker of a project's graphs may take, buffers included, in MiB, from 64 on. A run that takes more fails with `GraphOutOfMemory`. @default 1024 */
  workerMemoryMb?: number;
  /** Scripted graphs beside the built-in ones; one with the id of a built-in graph takes its place. */
  graphs?: readonly ScriptedGraph[];
}

/** Which recorded requests to read. */
export interface RequestsFilter {
  method?: string;
  /** Path without the query; `*` and `?` are wild. */
  path?: string;
  operation?: string;
  status?: number;
  /** The workspace. */
  tenant?: string;
  /** Only those from this time on, by the server's clock. */
  since?: Date;
  /** Only those for a path or a method that the server doesn't have. */
  unmatched?: boolean;
}

/** How new revisions move. */
export interface Transitions {
  get(): { mode: TransitionMode; rules: TransitionRule[] };
  /** Replaces what is given; what is left out stays. @throws {z.ZodError} for settings of another shape. */
  set(settings: TransitionSettings): void;
}

/** What goes wrong with requests. Of several rules, the first that matches a request counts. */
export interface Faults {
  /** Adds rules after those there are. @throws {z.ZodError} for a rule of another shape; {RangeError} for an id in use, or an operation that doesn't exist. */
  add(...rules: FaultRule[]): FaultReport[];
  /** Puts `rules` in the place of all there are. @throws as {@link add} */
  replace(rules: FaultRule[]): FaultReport[];
  /** The rules, with how often each matched and happened. */
  list(): FaultReport[];
  /** Removes one rule. Returns whether there was one of this id. */
  remove(id: string): boolean;
  clear(): void;
}

/** A running mock server. */
export interface MockServer extends AsyncDisposable {
  /** The cloud control plane, for example `http://127.0.0.1:8124`. */
  readonly url: string;
  /** The self-hosted control plane: `…/api-host`. */
  readonly selfHostedUrl: string;
  /** Whether its data directory had deployments or listeners already. */
  readonly isContinued: boolean;
  readonly clock: Clock;
  readonly transitions: Transitions;
  readonly faults: Faults;
  readonly revisions: {
    /** Moves a revision to its next status, or to `to`. */
    advance(id: string, to?: string): Promise<RevisionBody>;
  };
  readonly deployments: {
    /** Moves a deletion one step on. */
    advance(id: string): Promise<void>;
  };
  /** The requests so far, oldest first, without those of the admin API and without secrets. */
  requests(filter?: RequestsFilter): RecordedRequest[];
  /** How many requests of each operation and status there were. */
  counts(filter?: RequestsFilter): RequestCounts;
  /** The requests that got a response, as a fixture for `nock.define`. */
  fixture(filter?: RequestsFilter): FixtureEntry[];
  /** Adds deployments, listeners and integrations; all of them, or nothing when a part is refused. */
  seed(seed: Seed): Promise<Seeded>;
  readonly snapshot: {
    /** Everything that the server knows, for `put`; with its secrets. */
    get(): Promise<Snapshot>;
    /** Puts a snapshot in the place of everything; of what a data directory keeps only with `confirm`. */
    put(snapshot: Snapshot, options?: Confirmation): Promise<void>;
  };
  /** Does what a push to a repository would cause; returns the revisions that this made. */
  push(push: Push): Promise<RevisionBody[]>;
  /** What the admin API says about the server. */
  info(): Promise<ServerInfo>;
  /** Back to the beginning: no deployments, requests, faults or settings. The clock stays as it is. What a data directory keeps is given up only with `confirm`. */
  reset(options?: Confirmation): Promise<void>;
  /** Ends open connections and stops listening. */
  close(options?: {
    /** How long responses under way may take to finish, in milliseconds. @default 0 */
    gracePeriodMs?: number;
  }): Promise<void>;
}
