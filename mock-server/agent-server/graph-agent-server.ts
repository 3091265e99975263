import type { AgentLogEntry } from "../kit/agent-log.ts";
import { type Clock, createClock } from "../kit/clock.ts";
import { shownPlace } from "../kit/failure.ts";
import type { HttpResponse } from "../kit/http/http-response.ts";
import { inject } from "../kit/http/inject.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import { createIdSource, type IdSource } from "../kit/ids.ts";
import { createOutbound, type Outbound } from "../kit/outbound.ts";
import { Database } from "../kit/store/database.ts";
import { type AgentRequest, createAgentApp } from "./agent-app.ts";
import { type AgentSettings, defaultSettings } from "./agent-runtime.ts";
import { type AgentServer, type CheckKey, isOpenAgentPath, type LiveAgent, needsKey } from "./agent-server.ts";
import type { AuthHandlers } from "./auth/auth-handlers.ts";
import type { AuthUser } from "./auth/auth-user.ts";
import { authenticated, handlersForProjectCode } from "./auth/gate.ts";
import { forAnyOrigin } from "./cors.ts";
import { scriptedGraph } from "./engine/scripted-engine.ts";
import type { ScriptedGraph } from "./engine/scripted-graph.ts";
import { opensEventSocket, refusingSockets } from "./event-streaming/refused-socket.ts";
import { behindPrefix, withPrefixedAddresses } from "./mount-prefix.ts";
import { isForOperators } from "./operator-paths.ts";
import { agentSchema } from "./persistence/agent-schema.ts";
import { agentsWithWork, removeAgents } from "./persistence/agent-state.ts";
import { type Served, ServedAgents } from "./served-agents.ts";
import type { ProjectCall, ServedProject } from "./served-project.ts";

export interface GraphAgentServerOptions extends Partial<AgentSettings> {
  /** The graphs of revisions without a project. @default none */
  graphs?: readonly ScriptedGraph[];
  /** The project whose graphs a revision runs; called again when another revision is live. @default none */
  projectOf?: (agent: LiveAgent) => Promise<ServedProject | undefined>;
  /** Auth handlers of revisions without a project. @default none: callers that the server admits may do everything */
  auth?: AuthHandlers;
  /** Stores the state of all agent servers; it has the tables of `agentSchema`. @default in memory */
  database?: Database;
  clock?: Clock;
  ids?: IdSource;
  /** The URL of a deployment's agent server, for the documents that name it. @default that of the request */
  publicUrlOf?: (deploymentId: string) => string;
  /** Sends webhooks. @default to loopback only */
  outbound?: Outbound;
  /** Called with errors that are defects of the server. @default prints them on stderr */
  onDefect?: (error: unknown) => void;
  /** Called with log entries, such as the start and end of runs. @default none */
  onLog?: (entry: AgentLogEntry) => void;
}

/**
 * Agent servers that run scripted graphs or projects: one for each deployment, with a state that outlives its
 * revisions.
 * @throws {TypeError} for a graph with an edge to an unknown node.
 */
export function createGraphAgentServer(options: GraphAgentServerOptions = {}): AgentServer {
  return new GraphAgentServer(options);
}

class GraphAgentServer implements AgentServer {
  readonly #settings: AgentSettings;
  readonly #respond: ReturnType<typeof createAgentApp>;
  readonly #agents: ServedAgents;
  readonly #givenDatabase: Database | undefined;
  readonly #publicUrlOf: ((deploymentId: string) => string) | undefined;
  #ownDatabase: Promise<Database> | undefined;

  constructor({
    graphs = [],
    projectOf = async () => undefined,
    auth,
    clock = createClock(),
    ids = createIdSource(),
    outbound = createOutbound(),
    onDefect = console.error,
    onLog = () => {},
    database,
    publicUrlOf,
    ...given
  }: GraphAgentServerOptions) {
    this.#publicUrlOf = publicUrlOf;
    this.#settings = { ...defaultSettings, ...given };
    this.#respond = createAgentApp(this.#settings);
    this.#givenDatabase = database;
    this.#agents = new ServedAgents({
      graphs: graphs.map(scriptedGraph),
      auth: auth ?? null,
      projectOf,
      openDatabase: () => this.#openDatabase(),
      settings: this.#settings,
      clock,
      ids,
      outbound,
      onDefect,
      onLog,
      fetchFor: (agent, call, user) => this.#fetchFor(agent, call, user),
    });
  }

  handle(agent: LiveAgent, path: string, context: RequestContext, checkKey: CheckKey): Promise<HttpResponse> {
    return refusingSockets(path, context, () => this.#handle(agent, path, context, checkKey));
  }

  async #handle(agent: LiveAgent, path: string, context: RequestContext, checkKey: CheckKey): Promise<HttpResponse> {
    let served: Served;
    try {
      served = await this.#agents.get(agent);
    } catch (error) {
      if (needsKey(path, context)) checkKey?.();
      const detail = `Revision ID ${agent.revisionId} can't be served: ${(error as Error).message}`;
      return forAnyOrigin({ status: 503, body: { detail } });
    }
    const prefix = served.project?.mountPrefix ?? "";
    // Health checks don't know the prefix, and a proxy that strips it says so.
    const isStripped = path === "/ok" || context.header("x-forwarded-prefix")?.replace(/\/$/, "") === prefix;
    const inner = behindPrefix(path, prefix) ?? (isStripped ? path : undefined);
    if (inner !== undefined) {
      const publicUrl = this.#publicUrlOf?.(agent.identity.id);
      return this.#respondAs(agent, served, { path: inner, context, checkKey, publicUrl });
    }
    if (!served.auth && needsKey(path, context)) checkKey?.();
    const detail = `Not Found: all paths of this agent server begin with ${prefix} (http.mount_prefix).`;
    return forAnyOrigin({ status: 404, body: { detail } });
  }

  remove(deploymentId?: string): void {
    this.#agents.end(deploymentId);
    if (this.#givenDatabase) removeAgents(this.#givenDatabase, deploymentId);
    else void this.#ownDatabase?.then((database) => removeAgents(database, deploymentId));
  }

  close(): void {
    this.#agents.end();
  }

  deploymentsWithWork(): readonly string[] {
    return this.#givenDatabase ? agentsWithWork(this.#givenDatabase) : [];
  }

  async wake(agent: LiveAgent): Promise<void> {
    await this.#agents.get(agent);
  }

  async #openDatabase(): Promise<Database> {
    if (this.#givenDatabase) return this.#givenDatabase;
    this.#ownDatabase ??= Database.inMemory([agentSchema]);
    return this.#ownDatabase;
  }

  async #respondAs(
    agent: LiveAgent,
    { running, project, auth }: Served,
    { path, context, checkKey, publicUrl }: Pick<AgentRequest, "path" | "context" | "checkKey" | "publicUrl">,
  ): Promise<HttpResponse> {
    const ours = async (context: RequestContext, user?: AuthUser | null) => {
      if (!auth && user === undefined && needsKey(path, context)) checkKey?.();
      const prefix = project?.mountPrefix ?? "";
      const response = await this.#respond({
        agent: running,
        path,
        publicUrl: publicUrl === undefined ? undefined : publicUrl + prefix,
        title: agent.identity.name,
        context,
        auth,
        user: user ?? undefined,
        checkKey,
        project,
      });
      return withPrefixedAddresses(response, prefix);
    };
    // Operators' paths get neither the project's CORS headers nor its app.
    if (!project || isForOperators(path)) return ours(context);
    return project.respond({
      path,
      context,
      isSocket: opensEventSocket(path, context),
      isOpen: (path) => isOpenAgentPath(path, context.method),
      bodyLimitBytes: this.#settings.bodyLimitBytes,
      ours,
      async admit() {
        if (auth) return authenticated(auth, context, checkKey);
        checkKey?.();
        return null;
      },
      onFailure: (error) =>
        this.#agents.log(agent, "ERROR", `The app of http.app failed: ${String(error)}${shownPlace(error)}`),
    });
  }

  /** Responds to the project's own code, which needs no key of the server. */
  async #fetchFor(agent: LiveAgent, call: ProjectCall, user: AuthUser | null): Promise<Response> {
    const served = await this.#agents.get(agent);
    const auth = served.auth && handlersForProjectCode(served.auth, user);
    const { method, url, headers, body, signal } = call;
    const prefix = served.project?.mountPrefix ?? "";
    return inject(
      (context) => {
        // The address for project code has no prefix, but the path may include it.
        const path = behindPrefix(context.rawPath, prefix) ?? context.rawPath;
        // Responses with addresses have the one that the code uses, so no public one.
        return this.#respondAs(agent, { ...served, auth }, { path, context, checkKey: () => undefined });
      },
      { method, path: url, headers: Object.fromEntries(headers), signal, ...(body ? { body } : {}) },
    );
  }
}
