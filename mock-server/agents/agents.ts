import type { AgentServer, LiveAgent } from "../agent-server/agent-server.ts";
import { needsKey } from "../agent-server/agent-server.ts";
import type { RevisionProjects } from "../builds/revision-projects.ts";
import type { ApiKeys } from "../control-plane/auth/api-keys.ts";
import type { DeploymentRegistry } from "../control-plane/deployments/deployment-registry.ts";
import { activeRevisionId } from "../control-plane/deployments/deployment-state.ts";
import type { AgentLines } from "../control-plane/logs/agent-lines.ts";
import type { DeploymentRecord } from "../control-plane/store/records.ts";
import type { Clock } from "../kit/clock.ts";
import { HttpError } from "../kit/http/http-error.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import type { Endpoint, Router } from "../kit/http/router.ts";

export interface AgentsOptions {
  agentServer: AgentServer;
  projects: RevisionProjects;
  deployments: DeploymentRegistry;
  agentLines: AgentLines;
  apiKeys: ApiKeys;
  clock: Clock;
}

/** Routes requests for deployments to their agent servers, and ends these with their deployments. */
export class Agents {
  readonly #options: AgentsOptions;

  constructor(options: AgentsOptions) {
    this.#options = options;
  }

  /** Serves the agent server of each deployment under `/agents/<deployment id>`: 503 until a revision is live. */
  serve(router: Router<Endpoint>): void {
    const handle = (context: RequestContext) => this.#handle(context);
    router.all("/agents/{deployment_id}", { operation: null, handle });
    router.all("/agents/{deployment_id}/*", { operation: null, handle });
  }

  /** Ends the agent server and projects of one deployment, or of all, and removes their state and logs. */
  end(deploymentId?: string): void {
    const { agentServer, projects, agentLines } = this.#options;
    agentServer.remove?.(deploymentId);
    projects.end(deploymentId);
    agentLines.clear(deploymentId);
  }

  /**
   * Starts the agent servers of live deployments with pending work from an earlier server. Others start at their first
   * request.
   */
  wake(): void {
    const { agentServer, agentLines, deployments } = this.#options;
    for (const deploymentId of agentServer.deploymentsWithWork?.() ?? []) {
      const deployment = deployments.get(deploymentId);
      const agent = deployment && this.#liveAgent(deployment);
      if (!agent) continue;
      agentServer.wake?.(agent).catch((error: Error) => {
        const message = `Pending work waits for the next request: ${error.message}`;
        agentLines.add({ deploymentId, revisionId: agent.revisionId, level: "ERROR", message });
      });
    }
  }

  async #handle(context: RequestContext) {
    const { agentServer, deployments, apiKeys } = this.#options;
    const deployment = deployments.find(context.param("deployment_id").toLowerCase());
    const { tenantId } = deployment;
    context.tenant = tenantId;
    const path = agentPath(context.rawPath);
    const checkKey = () => {
      const [apiKey, authorization] = [context.header("x-api-key"), context.header("authorization")];
      apiKeys.admit({ apiKey, authorization, tenantId: undefined }, tenantId);
    };
    const agent = this.#liveAgent(deployment);
    if (!agent) {
      if (needsKey(path, context)) checkKey();
      throw new HttpError(503, `Deployment ID ${deployment.id} has no live revision yet.`);
    }
    return agentServer.handle(agent, path, context, checkKey);
  }

  #liveAgent(deployment: DeploymentRecord): LiveAgent | undefined {
    const revisionId = activeRevisionId(deployment, this.#options.clock.now());
    if (revisionId === null) return undefined;
    const { id, name, tenantId, edition } = deployment;
    return { identity: { id, name, tenantId, kind: edition === "cloud" ? "saas" : edition }, revisionId };
  }
}

/** The part of a path behind `/agents/<deployment id>`. */
function agentPath(path: string): string {
  const end = path.indexOf("/", "/agents/".length);
  return end < 0 ? "/" : path.slice(end);
}
