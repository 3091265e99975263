import type { Confirmation } from "./admin/admin-client.ts";
import { guardAdmin, isLoopbackName } from "./admin/admin-guard.ts";
import { type FixtureEntry, fixtureOf } from "./admin/journal-fixture.ts";
import { applySeed, type Seed, type Seeded } from "./admin/seed.ts";
import { checkConfirmed, putSnapshot, type Snapshot, takeSnapshot } from "./admin/snapshot.ts";
import type { AgentServer } from "./agent-server/agent-server.ts";
import type { ScriptedGraph } from "./agent-server/engine/scripted-graph.ts";
import { createGraphAgentServer } from "./agent-server/graph-agent-server.ts";
import { createApp, operationIds } from "./app.ts";
import { RepositoryFolders } from "./builds/repository-folders.ts";
import { RevisionProjects } from "./builds/revision-projects.ts";
import { KeyRing } from "./control-plane/auth/api-keys.ts";
import { Waiters } from "./control-plane/auth/waiters.ts";
import { advanceDeletion, type Push, push } from "./control-plane/deployments/deployment-model.ts";
import {
  ensureDefaultIntegration,
  type IntegrationSeed,
  seedIntegrations,
} from "./control-plane/integrations/integration-model.ts";
import { AgentLines } from "./control-plane/logs/agent-lines.ts";
import { advanceRevision } from "./control-plane/revisions/revision-model.ts";
import type { TransitionMode } from "./control-plane/revisions/rollout.ts";
import { parseTransitionMode, TransitionTable } from "./control-plane/revisions/transition-settings.ts";
import type { RevisionBody } from "./control-plane/schemas.ts";
import { viewRevision } from "./control-plane/views.ts";
import { FaultTable } from "./faults/fault-table.ts";
import { besideBuiltIn } from "./graphs/built-in-graphs.ts";
import { Journal, type JournalFilter, type RecordedRequest, type RequestCounts } from "./journal/journal.ts";
import type { Clock } from "./kit/clock.ts";
import { globMatcher } from "./kit/glob.ts";
import { type Certificate, HttpServer } from "./kit/http/http-server.ts";
import type { RequestContext } from "./kit/http/request-context.ts";
import { KeyedLocks } from "./kit/keyed-locks.ts";
import { createOutbound } from "./kit/outbound.ts";
import { Redaction } from "./kit/redaction.ts";
import { createSigner } from "./kit/signer.ts";
import { StorageError } from "./kit/store/database.ts";
import { endAgents, type Mock, wakeAgents } from "./mock.ts";
import { type ServerInfo, serverInfo } from "./server-info.ts";
import { openStorage, type Storage } from "./storage.ts";
import { startProject } from "./worker/host/start-project.ts";

export interface MockServerOptions {
  /** @default 8124; 0 picks a free one. */
  port?: number;
  /** @default "127.0.0.1" */
  host?: string;
  /** Serves https with it instead of http. */
  certificate?: Certificate;
  /** The workspaces that each key may enter, the first being the one of requests that name none. Absent: any key that isn't empty may enter any. */
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
  /** Scripted graphs beside the built-in ones; one with the id of a built-in graph takes its place. */
  graphs?: readonly ScriptedGraph[];
  /** What answers for live deployments. Default: agent servers that run scripted graphs. */
  agentServer?: AgentServer;
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

/** A running mock server. */
export interface MockServer extends AsyncDisposable {
  /** The cloud control plane, for example `http://127.0.0.1:8124`. */
  readonly url: string;
  /** The self-hosted control plane: `…/api-host`. */
  readonly selfHostedUrl: string;
  /** Whether its data directory had deployments or listeners already. */
  readonly isContinued: boolean;
  readonly clock: Clock;
  readonly transitions: TransitionTable;
  readonly faults: FaultTable;
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
  /** The answered requests as a fixture for `nock.define`. */
  fixture(filter?: RequestsFilter): FixtureEntry[];
  /** Adds deployments, listeners and integrations; all of them, or nothing when a part is refused. */
  seed(seed: Seed): Promise<Seeded>;
  readonly snapshot: {
    /** Everything that the server knows, for {@link put}; with its secrets. */
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
  close(): Promise<void>;
}

/**
 * Starts a mock server.
 * @throws {RangeError} for transitions that can't be read and folders that aren't there; {DataDirectoryError} for a data directory that can't be used; a
 * system error when the port is in use.
 */
export async function startMockServer(options: MockServerOptions = {}): Promise<MockServer> {
  const storage = await openStorage(options.dataDirectory, options.seed);
  try {
    return await start(options, storage);
  } catch (error) {
    storage.close();
    throw error;
  }
}

async function start(options: MockServerOptions, storage: Storage): Promise<MockServer> {
  const { port = 8124, host = "127.0.0.1", strict = false, logFormat, adminToken } = options;
  const { store: state, ids, isKept } = storage;
  const clock = options.clock ?? storage.clock;
  const redaction = new Redaction();
  const isContinued = !state.isEmpty;
  for (const value of storage.secrets) redaction.remember(value);
  const onDefect = (error: unknown) => {
    // A request that outlives the server has nobody to answer, and nothing of it is kept.
    if (!storage.database.isOpen) return;
    const text = error instanceof StorageError ? error.message : error instanceof Error ? error.stack : undefined;
    console.error(redaction.text(text ?? String(error)));
  };
  const outbound = createOutbound({ allow: options.allowOutbound ?? [], ownUrl: () => mock.publicUrl() });
  const agentLines = new AgentLines(clock);
  const projects = new RevisionProjects({
    repositories: new RepositoryFolders(options.repositories),
    runUploads: options.runUploads ?? false,
    start: startProject,
    state,
    redaction,
    onLog: (entry) => agentLines.add(entry),
  });
  const agentServer =
    options.agentServer ??
    createGraphAgentServer({
      graphs: besideBuiltIn(options.graphs ?? []),
      projectOf: (agent) => projects.runningFor(agent),
      database: storage.database,
      clock,
      ids,
      outbound,
      onDefect,
      onLog: (entry) => agentLines.add(entry),
    });
  let ownUrl = "";
  const mock: Mock = {
    state,
    isKept,
    clock,
    ids,
    redaction,
    locks: new KeyedLocks(),
    keys: new KeyRing(options.apiKeys, strict),
    transitions: new TransitionTable(parseTransitionMode(options.transitions ?? "time:5s")),
    faults: new FaultTable(ids, clock, operationIds),
    journal: new Journal(redaction),
    agentServer,
    projects,
    agentLines,
    outbound,
    signer: createSigner(storage.signingKey),
    authFinished: new Waiters(),
    strict,
    publicUrl: () => options.publicUrl?.replace(/\/+$/, "") ?? ownUrl,
  };
  const seedIntegrationsOnce = () => {
    ensureDefaultIntegration(mock);
    seedIntegrations(mock, options.integrations ?? []);
  };
  seedIntegrationsOnce();
  for (const key of mock.keys.keys) redaction.remember(key);
  if (adminToken !== undefined) redaction.remember(adminToken);

  const reset = async (isConfirmed: boolean) => {
    checkConfirmed(mock, isConfirmed);
    state.transaction(() => {
      state.clear();
      seedIntegrationsOnce();
    });
    endAgents(mock);
    mock.journal.clear();
    mock.faults.clear();
    mock.transitions.reset();
  };
  const isOnLoopback = isLoopbackName(host);
  const handle = createApp(mock, {
    info: () => serverInfo(mock),
    reset,
    guardAdmin: (context) => guardAdmin(context, isOnLoopback, adminToken),
    onDefect,
  });
  const server = new HttpServer({
    handle,
    onDefect,
    ...(options.certificate ? { certificate: options.certificate } : {}),
    ...(logFormat ? { onFinish: requestLog(logFormat, clock) } : {}),
  });
  ownUrl = await server.listen(port, host);
  wakeAgents(mock);

  const end = async () => {
    agentServer.close?.();
    mock.authFinished.notifyAll();
    const closed = server.close();
    // Nobody learns any more of what goes on, such as a build that is given up: so nothing of it is kept.
    storage.close();
    await Promise.all([closed, projects[Symbol.asyncDispose]()]);
  };
  let ended: Promise<void> | undefined;
  const close = () => {
    ended ??= end();
    return ended;
  };
  return {
    url: ownUrl,
    selfHostedUrl: `${ownUrl}/api-host`,
    isContinued,
    clock,
    transitions: mock.transitions,
    faults: mock.faults,
    revisions: {
      async advance(id, to) {
        return viewRevision((await advanceRevision(mock, id, to)).revision, clock.now());
      },
    },
    deployments: { advance: (id) => advanceDeletion(mock, id) },
    requests: (filter) => mock.journal.read(journalFilter(filter)),
    counts: (filter) => mock.journal.count(journalFilter(filter)),
    fixture: (filter) => fixtureOf(mock.journal.read(journalFilter(filter)), mock.publicUrl()),
    seed: (seed) => applySeed(mock, seed),
    snapshot: {
      get: async () => takeSnapshot(mock, true),
      put: async (snapshot, { confirm = false } = {}) => putSnapshot(mock, snapshot, confirm),
    },
    async push(event) {
      return (await push(mock, event)).map(({ revision }) => viewRevision(revision, clock.now()));
    },
    info: async () => serverInfo(mock),
    reset: ({ confirm = false } = {}) => reset(confirm),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function journalFilter({ path, since, ...rest }: RequestsFilter = {}): JournalFilter {
  return { ...rest, path: path === undefined ? undefined : globMatcher(path), since: since?.getTime() };
}

/** What prints a line for each request. */
function requestLog(format: "pretty" | "json", clock: Clock): (context: RequestContext, status: number | null) => void {
  return ({ method, target }, status) => {
    const path = target.replace(/\?.*$/s, "");
    const time = new Date(clock.now()).toISOString();
    const line =
      format === "json"
        ? JSON.stringify({ event: "request", time, method, path, status })
        : `${time} ${method} ${path} ${status ?? "reset"}`;
    process.stdout.write(`${line}\n`);
  };
}
