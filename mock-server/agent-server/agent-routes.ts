import { deploymentNotFound, findAnywhere } from "../control-plane/deployments/deployment-model.ts";
import { activeRevisionId } from "../control-plane/deployments/deployment-state.ts";
import { HttpError } from "../kit/http/http-error.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import type { Endpoint, Router } from "../kit/http/router.ts";
import type { Mock } from "../mock.ts";
import { needsKey } from "./agent-server.ts";

/** Serves the agent server of each deployment under `/agents/<deployment id>`: 503 until a revision is live. */
export function serveAgents(router: Router<Endpoint>, mock: Mock): void {
  const handle = async (context: RequestContext) => {
    const id = context.param("deployment_id");
    const deployment = await findAnywhere(mock, id.toLowerCase());
    if (!deployment) throw deploymentNotFound(id);
    context.tenant = deployment.tenantId;
    const path = agentPath(context.rawPath);
    const checkKey = () => {
      mock.keys.admit(
        { apiKey: context.header("x-api-key"), authorization: context.header("authorization"), tenantId: undefined },
        deployment.tenantId,
      );
    };
    const revisionId = activeRevisionId(deployment, mock.clock.now());
    if (revisionId === null) {
      if (needsKey(path, context)) checkKey();
      throw new HttpError(503, `Deployment ID ${id} has no live revision yet.`);
    }
    return mock.agentServer.handle({ deployment, revisionId }, path, context, checkKey);
  };
  router.all("/agents/{deployment_id}", { operation: null, handle });
  router.all("/agents/{deployment_id}/*", { operation: null, handle });
}

/** The part of a path after `/agents/<deployment id>`. */
function agentPath(path: string): string {
  const end = path.indexOf("/", "/agents/".length);
  return end < 0 ? "/" : path.slice(end);
}
