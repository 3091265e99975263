import { guardAdmin } from "./admin/admin-guard.ts";
import type { AdminOptions } from "./admin/admin-routes.ts";
import { fixtureOf } from "./admin/journal-fixture.ts";
import { applySeed } from "./admin/seed.ts";
import { putSnapshot, takeSnapshot } from "./admin/snapshot.ts";
import type { AgentServer } from "./agent-server/agent-server.ts";
import { createGraphAgentServer } from "./agent-server/graph-agent-server.ts";
import { Agents } from "./agents/agents.ts";
import { createApp } from "./app.ts";
import { RepositoryFolders } from "./builds/repository-folders.ts";
import { RevisionProjects } from "./builds/revision-projects.ts";
import { ApiKeys } from "./control-plane/auth/api-keys.ts";
import { createControlPlane, operationIds } from "./control-plane/control-plane.ts";
import type { ControlPlaneOptions } from "./control-plane/control-plane-options.ts";
import {
  ensureDefaultIntegration,
  integrationSeedSchema,
  seedIntegrations,
} from "./control-plane/integrations/integration-seed.ts";
import { parseTransitionMode, TransitionTable } from "./control-plane/revisions/transition-settings.ts";
import { FaultTable } from "./faults/fault-table.ts";
import { besideBuiltIn } from "./graphs/built-in-graphs.ts";
import { hostGuard } from "./host-guard.ts";
import { Journal, type JournalFilter } from "./journal/journal.ts";
import type { AgentLogEntry } from "./kit/agent-log.ts";
import { globMatcher } from "./kit/glob.ts";
import { badRequest } from "./kit/http/http-error.ts";
import type { Handler } from "./kit/http/http-response.ts";
import { namingUnknownKeys } from "./kit/likely-name.ts";
import { isLoopbackName } from "./kit/loopback.ts";
import { createOutbound } from "./kit/outbound.ts";
import { Redaction } from "./kit/redaction.ts";
import { createSigner } from "./kit/signer.ts";
import { DamagedRecordError } from "./kit/store/damaged-record.ts";
import { isOfClosedDatabase, StorageError } from "./kit/store/database.ts";
import { warnOnce } from "./kit/warnings.ts";
import type { MockServer, MockServerOptions, RequestsFilter } from "./mock-server.ts";
import { serveOAuth } from "./oauth/oauth-routes.ts";
import { readPublicUrl } from "./public-url.ts";
import { serverInfo } from "./server-info.ts";
import type { Storage } from "./storage.ts";
import { startProject } from "./worker/host/start-project.ts";
import { checkWorkerMemory } from "./worker-memory.ts";

/** What tests can put in the place of a part. */
export interface ReplacedParts {
  /** What responds for live deployments. */
  agentServer?: AgentServer;
}

/** A mock server that doesn't listen yet. */
export interface Composition {
  handle: Handler;
  /** Reports what went wrong inside the server, which is a defect of it. */
  onDefect(error: unknown): void;
  /** What the code that started it can do with it. */
  controls: Omit<MockServer, "url" | "selfHostedUrl" | "isContinued" | "close" | typeof Symbol.asyncDispose>;
  /** Starts what an earlier server left to do. */
  wake(): void;
  /** Ends everything; `stopListening` is called once nobody waits for a response any more. */
  close(stopListening: () => Promise<void>): Promise<void>;
}

/** Joins control planes, agent servers, builds and administration. `ownUrl`: where the server listens, once it does. */
export function compose(
  options: MockServerOptions,
  storage: Storage,
  ownUrl: () => string,
  parts: ReplacedParts,
): Composition {
  const { host = "127.0.0.1", strict = false, adminToken, onWarning = printWarning } = options;
  const integrations = (options.integrations ?? []).map((seed) => integrationSeedSchema.parse(seed, namingUnknownKeys));
  const { store, ids, database } = storage;
  const clock = options.clock ?? storage.clock;
  const givenUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  const publicUrl = () => givenUrl ?? ownUrl();
  const redaction = new Redaction();
  const apiKeys = new ApiKeys(options.apiKeys, strict);
  for (const value of [...storage.secrets, ...apiKeys.keys]) redaction.remember(value);
  if (adminToken !== undefined) redaction.remember(adminToken);
  const onDefect = (error: unknown) => {
    // A request that outlives the server has nobody to answer, and nothing of it is kept.
    if (!database.isOpen && isOfClosedDatabase(error)) return;
    const isOfStorage = error instanceof StorageError || error instanceof DamagedRecordError;
    const text = isOfStorage ? error.message : error instanceof Error ? error.stack : undefined;
    console.error(redaction.text(text ?? String(error)));
  };

  const outbound = createOutbound({ allow: options.allowOutbound ?? [], ownUrl: publicUrl });
  const transitions = new TransitionTable(parseTransitionMode(options.transitions ?? "time:5s"));
  const onLog = (entry: AgentLogEntry) => services.agentLines.add(entry);
  const projects = new RevisionProjects({
    repositories: new RepositoryFolders(options.repositories),
    runUploads: options.runUploads ?? false,
    start: startProject,
    memoryMb: options.workerMemoryMb === undefined ? undefined : checkWorkerMemory(options.workerMemoryMb),
    originOf: (revisionId) => services.deployments.originOf(revisionId),
    readUpload: (objectPath) => store.uploads.read(objectPath),
    redaction,
    onLog,
    onDefect,
  });
  const controlPlaneOptions: ControlPlaneOptions = {
    store,
    clock,
    ids,
    redaction,
    outbound,
    signer: createSigner(storage.signingKey),
    apiKeys,
    transitions,
    builds: projects,
    strict,
    warn: warnOnce((message) => onWarning(redaction.text(message))),
    publicUrl,
    agentUrl: (deploymentId) => `${publicUrl()}/agents/${deploymentId}`,
    onGone: (deploymentId) => agents.end(deploymentId),
  };
  const controlPlane = createControlPlane(controlPlaneOptions);
  const { services } = controlPlane;
  const agentServer =
    parts.agentServer ??
    createGraphAgentServer({
      graphs: besideBuiltIn(options.graphs ?? []),
      projectOf: ({ revisionId }) => projects.runningFor(revisionId),
      database,
      clock,
      ids,
      outbound,
      onDefect,
      onLog,
    });
  const { deployments, revisions, agentLines } = services;
  const agents = new Agents({ agentServer, projects, deployments, agentLines, apiKeys, clock });

  const faults = new FaultTable(ids, clock, operationIds);
  const journal = new Journal(redaction);
  const seedConfigured = () => {
    ensureDefaultIntegration(store.integrations);
    seedIntegrations(store.integrations, integrations);
  };
  const checkConfirmed = (isConfirmed: boolean) => {
    if (isConfirmed || !storage.isKept) return;
    throw badRequest(
      "This gives up what the data directory keeps: confirm it by ?confirm=true, or { confirm: true } in code.",
    );
  };
  const defaultWorkspace = apiKeys.defaultWorkspace;
  const admin: AdminOptions = {
    services,
    clock,
    transitions,
    faults,
    journal,
    publicUrl,
    info: () => serverInfo(controlPlaneOptions),
    seed: (seed) => applySeed({ services, store, defaultWorkspace, runsCode: projects.runsCode }, seed),
    takeSnapshot: (includeSecrets) => takeSnapshot({ store, faults, transitions, redaction }, includeSecrets),
    putSnapshot(snapshot, isConfirmed) {
      checkConfirmed(isConfirmed);
      store.transaction(() => {
        putSnapshot({ store, faults, transitions, redaction }, snapshot);
        agents.end();
      });
    },
    reset(isConfirmed) {
      checkConfirmed(isConfirmed);
      store.transaction(() => {
        store.clear();
        seedConfigured();
        agents.end();
      });
      journal.clear();
      faults.clear();
      transitions.reset();
    },
  };
  seedConfigured();

  const isOnLoopback = isLoopbackName(host);
  return {
    handle: createApp({
      ids,
      admin,
      serve(router) {
        controlPlane.serve(router);
        agents.serve(router);
        serveOAuth(router, { store, clock, ids, redaction, publicUrl });
      },
      guardHost: isOnLoopback ? hostGuard({ publicUrl, allowedHosts: options.allowedHosts ?? [] }) : undefined,
      guardAdmin: (context) => guardAdmin(context, isOnLoopback, adminToken),
      onDefect,
    }),
    onDefect,
    controls: {
      clock,
      transitions,
      faults,
      revisions: {
        advance: async (id, to) => revisions.view((await deployments.advanceRevision(id, to)).revision),
      },
      deployments: { advance: (id) => deployments.advanceDeletion(id) },
      requests: (filter) => journal.read(journalFilter(filter)),
      counts: (filter) => journal.count(journalFilter(filter)),
      fixture: (filter) => fixtureOf(journal.read(journalFilter(filter)), publicUrl()),
      seed: admin.seed,
      snapshot: {
        get: async () => admin.takeSnapshot(true),
        put: async (snapshot, { confirm = false } = {}) => admin.putSnapshot(snapshot, confirm),
      },
      push: async (event) => (await deployments.push(event)).map(({ revision }) => revisions.view(revision)),
      info: async () => admin.info(),
      reset: async ({ confirm = false } = {}) => admin.reset(confirm),
    },
    wake: () => agents.wake(),
    async close(stopListening) {
      agentServer.close?.();
      services.close();
      const stopped = stopListening();
      // Nobody learns any more of what goes on, such as a build that is given up: so nothing of it is kept.
      storage.close();
      await Promise.all([stopped, projects[Symbol.asyncDispose]()]);
    },
  };
}

function printWarning(message: string): void {
  console.warn(`warning: ${message}`);
}

function journalFilter({ path, since, ...rest }: RequestsFilter = {}): JournalFilter {
  return { ...rest, path: path === undefined ? undefined : globMatcher(path), since: since?.getTime() };
}
