import { notFound, ruleBroken, validationFailed } from "../common-responses.ts";
import { route } from "../route.ts";
import { logsRequest, logsResponse } from "../schemas.ts";
import type { LogKind } from "./log-lines.ts";

const tag = "Logs (v1)";
const responses = {
  200: { description: "One page of log lines.", schema: logsResponse },
  400: ruleBroken,
  404: notFound,
  422: validationFailed,
};

function revisionLogRoute(kind: LogKind) {
  return route({
    id: `get_${kind}_logs`,
    method: "post",
    path: `/v1/projects/{deployment_id}/revisions/{revision_id}/${kind}_logs`,
    tag,
    summary: `Read the ${kind} log of a revision`,
    body: { schema: logsRequest, required: false },
    responses,
    handle({ deployments, revisions, logs, params, body }) {
      const deployment = deployments.find(params.deployment_id);
      const revision = revisions.find(deployment, params.revision_id);
      return { status: 200, body: logs.ofRevision(revision, kind, body ?? {}) };
    },
  });
}

export const logRoutes = [
  revisionLogRoute("build"),
  revisionLogRoute("deploy"),
  route({
    id: "get_deployment_logs",
    method: "post",
    path: "/v1/projects/{deployment_id}/deploy_logs",
    tag,
    summary: "Read the deploy logs of all revisions of a deployment",
    body: { schema: logsRequest, required: false },
    responses,
    handle({ deployments, logs, params, body }) {
      return { status: 200, body: logs.ofDeployment(deployments.find(params.deployment_id), body ?? {}) };
    },
  }),
];
