import { guardAdmin } from "./admin/admin-guard.ts";
import { type Controls, createAdministration, createControls } from "./administration.ts";
import type { AgentServer } from "./agent-server/agent-server.ts";
import { createGraphAgentServer } from "./agent-server/graph-agent-server.ts";
import { Agents } from "./agents/agents.ts";
import { createApp } from "./app.ts";
import { RepositoryFolders } from "./builds/repository-folders.ts";
import { RevisionProjects } from "./builds/revision-projects.ts";
import { ApiKeys } from "./control-plane/auth/api-keys.ts";
import { createControlPlane, operationIds } from "./control-plane/control-plane.ts";
import type { ControlPlaneOptions } from "./control-plane/control-plane-options.ts";
import { integrationSeedSchema } from "./control-plane/integrations/integration-seed.ts";
import { parseTransitionMode, TransitionTable } from "./control-plane/revisions/transition-settings.ts";
import { FaultTable } from "./faults/fault-table.ts";
import { withBuiltInGraphs } from "./graphs/built-in-graphs.ts";
import { hostGuard } from "./host-guard.ts";
import { Journal } from "./journal/journal.ts";
import type { AgentLogEntry } from "./kit/agent-log.ts";
import type { Handler } from "./kit/http/http-response.ts";
import { isLoopbackName } from "./kit/loopback.ts";
import { createOutbound } from "./kit/outbound.ts";
import { Redaction } from "./kit/redaction.ts";
import { createSigner } from "./kit/signer.ts";
import { DamagedRecordError } from "./kit/store/damaged-record.ts";
import { isOfClosedDatabase, StorageError } from "./kit/store/database.ts";
import { namingUnknownKeys } from "./kit/unknown-names.ts";
import { warnOnce } from "./kit/warnings.ts";
import type { MockServerOptions } from "./mock-server.ts";
import { serveOAuth } from "./oauth/oauth-routes.ts";
import { readPublicUrl } from "./public-url.ts";
import type { Storage } from "./storage.ts";
import { startProject } from "./worker/host/start-project.ts";
import { checkWorkerMemory } from "./worker-memory.ts";

/** Parts that tests can replace. */
export interface ReplacedParts {
  /** Responds for live deployments. */
  agentServer?: AgentServer;
}

/** A mock server that doesn't listen yet. */
export interface Composition {
  handle: Handler;
  /** Prints an error of the server's own, redacted, on stderr. */
  onDefect(error: unknown): void;
  controls: Controls;
  /** Resumes what an earlier server left unfinished. */
  wake(): void;
  /** Ends everything; calls `stopListening` once no request is waiting for a run or an authentication. */
  close(stopListening: () => Promise<void>): Promise<void>;
}

/**
 * Wires up control planes, agent servers, builds and administration.
 * @param ownUrl where the server listens; called only once it does
 * @throws {RangeError} for a public URL, a transition mode, a folder or a memory limit that isn't valid; {z.ZodError}
 * for an integration that isn't.
 */
export function compose(
  options: MockServerOptions,
  storage: Storage,
  ownUrl: () => string,
  parts: ReplacedParts,
): Composition {
  const { host = "127.0.0.1", adminToken, allowedHosts = [] } = options;
  const base = createFoundation(options, storage, ownUrl);
  const { clock, ids, redaction, publicUrl, onDefect } = base;
  const { controlPlane, controlPlaneOptions, agents, agentServer, projects } = composeServers(options, base, parts);
  const { services } = controlPlane;
  const faults = new FaultTable(ids, clock, operationIds);
  const journal = new Journal(redaction);
  const admin = createAdministration({
    controlPlaneOptions,
    services,
    agents,
    faults,
    journal,
    integrations: base.integrations,
    isPersistent: storage.isPersistent,
    runsCode: projects.runsCode,
  });
  const isOnLoopback = isLoopbackName(host);
  return {
    handle: createApp({
      ids,
      admin,
      serve(router) {
        controlPlane.serve(router);
        agents.serve(router);
        serveOAuth(router, { store: storage.store, clock, ids, redaction, publicUrl });
      },
      guardHost: isOnLoopback ? hostGuard({ publicUrl, allowedHosts }) : undefined,
      guardAdmin: (context) => guardAdmin(context, isOnLoopback, adminToken),
      onDefect,
    }),
    onDefect,
    controls: createControls(admin),
    wake: () => agents.wake(),
    async close(stopListening) {
      agentServer.close?.();
      services.close();
      const stopped = stopListening();
      // No client sees what happens from now on, such as a build that is aborted, so none of it is stored.
      storage.close();
      await Promise.all([stopped, projects[Symbol.asyncDispose]()]);
    },
  };
}

type Foundation = ReturnType<typeof createFoundation>;

/** Everything that control planes and agent servers share. */
function createFoundation(
  options: MockServerOptions,
  { store, ids, database, ...storage }: Storage,
  ownUrl: () => string,
) {
  const { strict = false, adminToken } = options;
  const integrations = (options.integrations ?? []).map((seed) => integrationSeedSchema.parse(seed, namingUnknownKeys));
  const givenUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  const publicUrl = () => givenUrl ?? ownUrl();
  const redaction = new Redaction();
  const apiKeys = new ApiKeys(options.apiKeys, strict);
  for (const value of [...storage.secrets, ...apiKeys.keys]) redaction.remember(value);
  if (adminToken !== undefined) redaction.remember(adminToken);
  return {
    integrations,
    store,
    ids,
    database,
    clock: options.clock ?? storage.clock,
    signer: createSigner(storage.signingKey),
    strict,
    publicUrl,
    givenUrl,
    redaction,
    apiKeys,
    outbound: createOutbound({ allow: options.allowOutbound ?? [], ownUrl: publicUrl }),
    onDefect(error: unknown) {
      // A request that outlives the server has no client left, and nothing of it is stored.
      if (!database.isOpen && isOfClosedDatabase(error)) return;
      const isOfStorage = error instanceof StorageError || error instanceof DamagedRecordError;
      const text = isOfStorage ? error.message : error instanceof Error ? error.stack : undefined;
      console.error(redaction.text(text ?? String(error)));
    },
  };
}

/** The control planes of both editions, the agent servers of their deployments, and the projects that these run. */
function composeServers(options: MockServerOptions, base: Foundation, parts: ReplacedParts) {
  const { store, ids, database, clock, redaction, apiKeys, outbound, signer, strict, publicUrl, givenUrl, onDefect } =
    base;
  const { onWarning = printWarning } = options;
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
    signer,
    apiKeys,
    transitions: new TransitionTable(parseTransitionMode(options.transitions ?? "time:5s")),
    builds: projects,
    strict,
    warn: warnOnce((message) => onWarning(redaction.text(message))),
    publicUrl,
    agentUrl: (deploymentId) => `${publicUrl()}/agents/${deploymentId}`,
    onRemoved: (deploymentId) => agents.end(deploymentId),
  };
  const controlPlane = createControlPlane(controlPlaneOptions);
  const { services } = controlPlane;
  const agentServer =
    parts.agentServer ??
    createGraphAgentServer({
      graphs: withBuiltInGraphs(options.graphs ?? []),
      projectOf: ({ revisionId }) => projects.runningFor(revisionId),
      database,
      clock,
      ids,
      outbound,
      ...(givenUrl === undefined
        ? {}
        : { publicUrlOf: (deploymentId: string) => `${givenUrl}/agents/${deploymentId}` }),
      onDefect,
      onLog,
    });
  const { deployments, agentLines } = services;
  const agents = new Agents({ agentServer, projects, deployments, agentLines, apiKeys, clock });
  return { controlPlane, controlPlaneOptions, agents, agentServer, projects };
}

function printWarning(message: string): void {
  console.warn(`warning: ${message}`);
}
