import type { AgentLogEntry, AgentLogLevel } from "../kit/agent-log.ts";
import { type Clock, createClock } from "../kit/clock.ts";
import type { HttpResponse } from "../kit/http/http-response.ts";
import { inject } from "../kit/http/inject.ts";
import { createIdSource, type IdSource } from "../kit/ids.ts";
import { createOutbound, type Outbound } from "../kit/outbound.ts";
import { Database } from "../kit/store/database.ts";
import { type AgentRequest, createAgentApp } from "./agent-app.ts";
import { type AgentSettings, defaultSettings } from "./agent-runtime.ts";
import { type AgentServer, type LiveAgent, needsKey } from "./agent-server.ts";
import type { AuthHandlers } from "./auth/auth-handlers.ts";
import type { AuthUser } from "./auth/auth-user.ts";
import { authenticated, handlersForOwnCode } from "./auth/gate.ts";
import { forAnyOrigin } from "./cors.ts";
import { type Agent, createAgent } from "./create-agent.ts";
import { scriptedGraph } from "./engine/scripted-engine.ts";
import type { ScriptedGraph } from "./engine/scripted-graph.ts";
import { behindPrefix, withPrefixedAddresses } from "./mount-prefix.ts";
import { isForOperators } from "./operator-paths.ts";
import { agentSchema } from "./persistence/agent-schema.ts";
import { AgentState, agentsWithWork, removeAgents } from "./persistence/agent-state.ts";
import type { ProjectCall, ServedProject } from "./served-project.ts";

export interface GraphAgentServerOptions extends Partial<AgentSettings> {
  /** What it runs where there is no project. @default none */
  graphs?: readonly ScriptedGraph[];
  /** Whose graphs a revision runs; called again when another revision is live. @default no project's */
  projectOf?: (agent: LiveAgent) => Promise<ServedProject | undefined>;
  /** Who may do what where there is no project. @default whoever the server lets in may do everything */
  auth?: AuthHandlers;
  /** Where agent servers keep all that they know; it has the tables of `agentSchema`. @default in memory */
  database?: Database;
  clock?: Clock;
  ids?: IdSource;
  /** How webhooks are sent. @default to loopback only */
  outbound?: Outbound;
  /** Called with what went wrong inside the server, which is a defect of it. @default prints it on stderr */
  onDefect?: (error: unknown) => void;
  /** Called with what the agent servers log: how runs begin and end. @default nothing */
  onLog?: (entry: AgentLogEntry) => void;
}

/** What serves a deployment while a revision is live. */
interface Served {
  running: Agent;
  project: ServedProject | undefined;
  auth: AuthHandlers | null;
}

interface Deployed {
  agent: LiveAgent;
  /** Of the revision that `served` is for, which the agent may be ahead of; `undefined` where that has failed, to be tried again. */
  revisionId: string | undefined;
  served: Promise<Served>;
  /** Aborted to end the deployment, all its revisions alike. */
  ending: AbortController;
  /** What runs once the revision is there or has failed, which may be what an earlier revision began; never rejects. */
  settled: Promise<Agent | undefined>;
  /** What runs so far. */
  running: Agent | undefined;
}

/**
 * Agent servers that run scripted graphs, or those of projects: one for each deployment, with a state of its own that outlives its revisions.
 * @throws {TypeError} for a graph whose edges lead nowhere.
 */
export function createGraphAgentServer(options: GraphAgentServerOptions = {}): AgentServer {
  const {
    graphs: scripts = [],
    projectOf = async () => undefined,
    auth: givenAuth = null,
    clock = createClock(),
    ids = createIdSource(),
    outbound = createOutbound(),
    onDefect = console.error,
    onLog = () => {},
    database: givenDatabase,
    ...given
  } = options;
  const settings = { ...defaultSettings, ...given };
  const scripted = scripts.map(scriptedGraph);
  const respond = createAgentApp(settings);
  const deployed = new Map<string, Deployed>();
  let ownDatabase: Promise<Database> | undefined;
  const openDatabase = () => {
    ownDatabase ??= Database.inMemory([agentSchema]);
    return ownDatabase;
  };

  async function serve(agent: LiveAgent, before: Deployed | undefined, ending: AbortSignal): Promise<Served> {
    const current = () => deployed.get(agent.identity.id)?.agent ?? agent;
    const project = await projectOf(agent);
    project?.connect((call, user) => fetchFor(current(), call, user));
    const { graphs, auth } = project ?? { graphs: scripted, auth: givenAuth };
    const running = await before?.settled;
    // What was removed meanwhile must not come back.
    ending.throwIfAborted();
    if (running) {
      running.useGraphs(graphs);
      return { running, project, auth };
    }
    const identity = () => identityOf(current());
    const log = (level: AgentLogLevel, message: string) => logOf(current(), level, message);
    const database = givenDatabase ?? (await openDatabase());
    ending.throwIfAborted();
    const state = AgentState.open(database, agent.identity.id, () => clock.now());
    return {
      running: await createAgent({ state, graphs, clock, ids, outbound, settings, identity, onDefect, log }),
      project,
      auth,
    };
  }

  function logOf({ identity, revisionId }: LiveAgent, level: AgentLogLevel, message: string): void {
    onLog({ deploymentId: identity.id, revisionId, level, message });
  }

  function servedBy(agent: LiveAgent): Promise<Served> {
    const { id } = agent.identity;
    const known = deployed.get(id);
    if (known?.revisionId === agent.revisionId) {
      known.agent = agent;
      return known.served;
    }
    const ending = known?.ending ?? new AbortController();
    const served = serve(agent, known, ending.signal);
    const settled = served.then(
      ({ running }) => running,
      async () => {
        // Graphs that fail to load are retried by the next request; the state stays, and what still runs is served as before.
        entry.revisionId = undefined;
        const running = await known?.settled;
        if (known) {
          const { agent, revisionId, served } = known;
          Object.assign(entry, { agent, revisionId, served });
        }
        return running;
      },
    );
    const entry: Deployed = { agent, revisionId: agent.revisionId, served, ending, settled, running: known?.running };
    deployed.set(id, entry);
    void settled.then((running) => {
      entry.running = running;
    });
    return served;
  }

  async function respondAs(
    agent: LiveAgent,
    { running, project, auth }: Served,
    { path, context, checkKey }: Pick<AgentRequest, "path" | "context" | "checkKey">,
  ): Promise<HttpResponse> {
    const ours = async () => {
      const response = await respond({ agent: running, path, title: agent.identity.name, context, auth, checkKey });
      return withPrefixedAddresses(response, project?.mountPrefix ?? "");
    };
    // A project's CORS and its app are for pages.
    if (!project || isForOperators(path)) return ours();
    return project.respond({
      path,
      context,
      bodyLimitBytes: settings.bodyLimitBytes,
      ours,
      async admit() {
        if (auth) return authenticated(auth, context, checkKey);
        // Also of the paths that need no key while they are the server's own.
        checkKey?.();
        return null;
      },
      onFailure: (error) => logOf(agent, "ERROR", `The app of http.app has failed: ${String(error)}`),
    });
  }

  /** Responds to the project's own code, which needs no key of the server. */
  async function fetchFor(agent: LiveAgent, call: ProjectCall, user: AuthUser | null): Promise<Response> {
    const served = await servedBy(agent);
    const auth = served.auth && handlersForOwnCode(served.auth, user);
    const { method, url, headers, body, signal } = call;
    const prefix = served.project?.mountPrefix ?? "";
    return inject(
      (context) => {
        // Its own server's address has no prefix, but it may name one.
        const path = behindPrefix(context.rawPath, prefix) ?? context.rawPath;
        return respondAs(agent, { ...served, auth }, { path, context, checkKey: () => undefined });
      },
      { method, path: url, headers: Object.fromEntries(headers), signal, ...(body ? { body } : {}) },
    );
  }

  return {
    async handle(agent, path, context, checkKey) {
      let served: Served;
      try {
        served = await servedBy(agent);
      } catch (error) {
        if (needsKey(path, context)) checkKey?.();
        const detail = `Revision ID ${agent.revisionId} can't be served: ${(error as Error).message}`;
        return forAnyOrigin({ status: 503, body: { detail } });
      }
      const prefix = served.project?.mountPrefix ?? "";
      // Health checks don't know the prefix.
      const inner = behindPrefix(path, prefix) ?? (path === "/ok" ? path : undefined);
      if (!served.auth && needsKey(inner ?? path, context)) checkKey?.();
      if (inner !== undefined) return respondAs(agent, served, { path: inner, context, checkKey });
      const detail = `Not Found: all paths of this agent server begin with ${prefix} (http.mount_prefix).`;
      return forAnyOrigin({ status: 404, body: { detail } });
    },
    remove(deploymentId) {
      end(deploymentId);
      if (givenDatabase) removeAgents(givenDatabase, deploymentId);
      else void ownDatabase?.then((database) => removeAgents(database, deploymentId));
    },
    close: () => end(),
    deploymentsWithWork: () => (givenDatabase ? agentsWithWork(givenDatabase) : []),
    wake: async (agent) => void (await servedBy(agent)),
  };

  /** Ends the agent server of one deployment, or all of them. */
  function end(deploymentId?: string): void {
    for (const id of deploymentId === undefined ? [...deployed.keys()] : [deploymentId]) {
      const entry = deployed.get(id);
      deployed.delete(id);
      entry?.ending.abort();
      // One that is there ends now, not a moment later.
      if (entry?.running) entry.running[Symbol.dispose]();
      else void entry?.settled.then((running) => running?.[Symbol.dispose]());
    }
  }
}

function identityOf({ identity, revisionId }: LiveAgent): Record<string, unknown> {
  const { id, tenantId, kind } = identity;
  return { kind, project_id: id, revision_id: revisionId, tenant_id: tenantId };
}
