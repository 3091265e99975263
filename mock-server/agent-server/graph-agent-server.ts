import { type Clock, createClock } from "../clock.ts";
import { builtInGraphs } from "../graphs/built-in-graphs.ts";
import { createIdSource, type IdSource } from "../ids.ts";
import { createOutbound, type Outbound } from "../outbound.ts";
import { createAgentApp } from "./agent-app.ts";
import { type AgentHost, type AgentSettings, createAgentHost, defaultSettings } from "./agent-host.ts";
import type { AgentLogEntry } from "./agent-log.ts";
import type { AgentServer, LiveAgent } from "./agent-server.ts";
import { scriptedGraph } from "./engine/scripted-engine.ts";
import type { ScriptedGraph } from "./engine/scripted-graph.ts";

export interface GraphAgentServerOptions extends Partial<AgentSettings> {
  /** What it runs. @default the built-in graphs */
  graphs?: readonly ScriptedGraph[];
  clock?: Clock;
  ids?: IdSource;
  /** How webhooks are sent. @default to loopback only */
  outbound?: Outbound;
  /** Called with what went wrong inside the server, which is a defect of it. @default prints it on stderr */
  onDefect?: (error: unknown) => void;
  /** Called with what the agent servers log: how runs begin and end. @default nothing */
  onLog?: (entry: AgentLogEntry) => void;
}

/**
 * Agent servers that run scripted graphs: one for each deployment, with a state of its own that outlives its revisions.
 * @throws {TypeError} for a graph whose edges lead nowhere.
 */
export function createGraphAgentServer(options: GraphAgentServerOptions = {}): AgentServer {
  const {
    graphs: scripts = builtInGraphs,
    clock = createClock(),
    ids = createIdSource(),
    outbound = createOutbound(),
    onDefect = console.error,
    onLog = () => {},
    ...settings
  } = options;
  const graphs = scripts.map(scriptedGraph);
  const answer = createAgentApp();
  const hosts = new Map<string, { agent: LiveAgent; host: Promise<AgentHost & Disposable> }>();

  function hostOf(agent: LiveAgent): Promise<AgentHost> {
    const known = hosts.get(agent.deployment.id);
    if (known) {
      known.agent = agent;
      return known.host;
    }
    const current = () => hosts.get(agent.deployment.id)?.agent ?? agent;
    const host = createAgentHost({
      graphs,
      clock,
      ids,
      outbound,
      settings: { ...defaultSettings, ...settings },
      identity: () => identityOf(current()),
      onDefect,
      onLog: (level, message) => {
        const { deployment, revisionId } = current();
        onLog({ deploymentId: deployment.id, revisionId, level, message });
      },
    });
    hosts.set(agent.deployment.id, { agent, host });
    return host;
  }

  return {
    async handle(agent, path, exchange) {
      const host = await hostOf(agent);
      return answer({ host, path, title: agent.deployment.name, exchange });
    },
    forget(deploymentId) {
      const forgotten = deploymentId === undefined ? [...hosts.keys()] : [deploymentId];
      for (const id of forgotten) {
        void hosts.get(id)?.host.then((host) => host[Symbol.dispose]());
        hosts.delete(id);
      }
    },
  };
}

function identityOf({ deployment, revisionId }: LiveAgent): Record<string, unknown> {
  return {
    kind: deployment.edition === "cloud" ? "saas" : "self-hosted",
    project_id: deployment.id,
    revision_id: revisionId,
    tenant_id: deployment.tenantId,
  };
}
