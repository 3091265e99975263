import type { AgentLogEntry, AgentLogLevel } from "../kit/agent-log.ts";
import type { Clock } from "../kit/clock.ts";
import type { IdSource } from "../kit/ids.ts";
import type { Outbound } from "../kit/outbound.ts";
import type { Database } from "../kit/store/database.ts";
import type { AgentSettings } from "./agent-runtime.ts";
import type { LiveAgent } from "./agent-server.ts";
import { appForWebhooks } from "./app-for-webhooks.ts";
import type { AuthHandlers } from "./auth/auth-handlers.ts";
import type { AuthUser } from "./auth/auth-user.ts";
import { type Agent, createAgent, type LiveProject } from "./create-agent.ts";
import type { Graph } from "./engine/contract.ts";
import { AgentState } from "./persistence/agent-state.ts";
import { defaultProjectSettings } from "./project-settings.ts";
import type { ProjectCall, ServedProject } from "./served-project.ts";

/** What serves a deployment while a revision is live. */
export interface Served {
  running: Agent;
  project: ServedProject | undefined;
  auth: AuthHandlers | null;
}

export interface ServedAgentsOptions {
  /** The graphs of revisions without a project. */
  graphs: readonly Graph[];
  /** The auth handlers of revisions without a project; `null`: callers may do everything. */
  auth: AuthHandlers | null;
  projectOf(agent: LiveAgent): Promise<ServedProject | undefined>;
  openDatabase(): Promise<Database>;
  settings: AgentSettings;
  clock: Clock;
  ids: IdSource;
  outbound: Outbound;
  onDefect(error: unknown): void;
  onLog(entry: AgentLogEntry): void;
  /** Responds to the code of an agent's project. */
  fetchFor(agent: LiveAgent, call: ProjectCall, user: AuthUser | null): Promise<Response>;
}

interface Deployed {
  agent: LiveAgent;
  /**
   * The revision that `served` is for, which may lag behind that of `agent`; `undefined` after it failed to load, so
   * that it is retried.
   */
  revisionId: string | undefined;
  served: Promise<Served>;
  /** Aborted when the deployment ends, whichever of its revisions is live. */
  ending: AbortController;
  /**
   * Resolves once the revision has loaded or failed, with the agent server that runs then, perhaps an earlier
   * revision's; never rejects.
   */
  settled: Promise<Agent | undefined>;
  /** What runs so far. */
  running: Agent | undefined;
}

/**
 * The agent servers of deployments: one each, which is started by its first request and keeps its state from revision
 * to revision.
 */
export class ServedAgents {
  readonly #options: ServedAgentsOptions;
  readonly #deployed = new Map<string, Deployed>();

  constructor(options: ServedAgentsOptions) {
    this.#options = options;
  }

  /**
   * What serves the live revision of a deployment, loaded if it isn't yet.
   * @throws {Error} why the revision can't be loaded.
   */
  get(agent: LiveAgent): Promise<Served> {
    const { id } = agent.identity;
    const known = this.#deployed.get(id);
    if (known?.revisionId === agent.revisionId) {
      known.agent = agent;
      return known.served;
    }
    const ending = known?.ending ?? new AbortController();
    const served = this.#serve(agent, known, ending.signal);
    const settled = served.then(
      ({ running }) => running,
      async () => {
        // The next request retries graphs that fail to load; the state stays, and the earlier revision keeps serving.
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
    this.#deployed.set(id, entry);
    void settled.then((running) => {
      entry.running = running;
    });
    return served;
  }

  log({ identity, revisionId }: LiveAgent, level: AgentLogLevel, message: string): void {
    this.#options.onLog({ deploymentId: identity.id, revisionId, level, message });
  }

  /** Ends the agent server of one deployment, or all of them. */
  end(deploymentId?: string): void {
    for (const id of deploymentId === undefined ? [...this.#deployed.keys()] : [deploymentId]) {
      const entry = this.#deployed.get(id);
      this.#deployed.delete(id);
      entry?.ending.abort();
      // A running agent server ends now, not in a later turn of the event loop.
      if (entry?.running) entry.running[Symbol.dispose]();
      else void entry?.settled.then((running) => running?.[Symbol.dispose]());
    }
  }

  async #serve(agent: LiveAgent, before: Deployed | undefined, ending: AbortSignal): Promise<Served> {
    const { projectOf, openDatabase, fetchFor, clock, ids, outbound, settings, onDefect } = this.#options;
    const current = () => this.#deployed.get(agent.identity.id)?.agent ?? agent;
    const project = await projectOf(agent);
    project?.connect((call, user) => fetchFor(current(), call, user));
    const { graphs, auth } = project ?? this.#options;
    const live: LiveProject = {
      graphs,
      settings: project?.settings ?? defaultProjectSettings,
      app: project ? appForWebhooks(project, (call) => fetchFor(current(), call, null)) : null,
    };
    const running = await before?.settled;
    // A deployment that was removed in the meantime must not come back.
    ending.throwIfAborted();
    if (running) {
      running.use(live);
      return { running, project, auth };
    }
    const identity = () => identityOf(current());
    const log = (level: AgentLogLevel, message: string) => this.log(current(), level, message);
    const database = await openDatabase();
    ending.throwIfAborted();
    const state = AgentState.open(database, agent.identity.id, () => clock.now());
    return {
      running: await createAgent({ state, live, clock, ids, outbound, settings, identity, onDefect, log }),
      project,
      auth,
    };
  }
}

function identityOf({ identity, revisionId }: LiveAgent): Record<string, unknown> {
  const { id, tenantId, kind } = identity;
  return { kind, project_id: id, revision_id: revisionId, tenant_id: tenantId };
}
