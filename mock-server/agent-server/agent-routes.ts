import { deploymentNotFound, findAnywhere } from "../control-plane/deployment-model.ts";
import { activeRevisionId } from "../control-plane/deployment-state.ts";
import { HttpError } from "../http-error.ts";
import type { Mock } from "../mock.ts";
import type { MockApp, MockRequest } from "../openapi/route.ts";
import { isOpenAgentPath } from "./agent-server.ts";

/** Serves the agent server of each deployment under `/agents/<deployment id>`: 503 until a revision is live. */
export function serveAgents(app: MockApp, mock: Mock): void {
  const serve = async (context: MockRequest) => {
    const { pathname } = new URL(context.req.url);
    const [, id = "", rest = ""] = /^\/agents\/([^/]+)(.*)$/.exec(pathname) ?? [];
    const deployment = await findAnywhere(mock, id.toLowerCase());
    if (!deployment) throw deploymentNotFound(id);
    context.set("tenant", deployment.tenantId);
    const path = rest === "" ? "/" : rest;
    if (!isOpenAgentPath(path) && context.req.method !== "OPTIONS") {
      const { req } = context;
      mock.keys.admit(
        { apiKey: req.header("x-api-key"), authorization: req.header("authorization"), tenantId: undefined },
        deployment.tenantId,
      );
    }
    const revisionId = activeRevisionId(deployment, mock.clock.now());
    if (revisionId === null) throw new HttpError(503, `Deployment ID ${id} has no live revision yet.`);
    return mock.agentServer.handle({ deployment, revisionId }, path, context.req.raw);
  };
  app.all("/agents/:deployment_id", serve);
  app.all("/agents/:deployment_id/*", serve);
}
