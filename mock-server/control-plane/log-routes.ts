import { route } from "../openapi/route.ts";
import { notFound, ruleBroken, validationFailed } from "./common-responses.ts";
import { findDeployment } from "./deployment-model.ts";
import { type LogKind, logOf } from "./log-lines.ts";
import { pageOfLog } from "./log-page.ts";
import { findRevision } from "./revision-model.ts";
import { logsRequest, logsResponse } from "./schemas.ts";

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
    async handle({ mock, scope, params, body }) {
      const deployment = await findDeployment(mock, scope, params.deployment_id as string);
      const revision = await findRevision(mock, deployment, params.revision_id as string);
      return { status: 200, body: pageOfLog(logOf(revision, kind, mock.clock.now()), body ?? {}) };
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
    async handle({ mock, scope, params, body }) {
      const deployment = await findDeployment(mock, scope, params.deployment_id as string);
      const now = mock.clock.now();
      const revisions = await mock.state.revisions.page(deployment.id, {
        accept: () => true,
        offset: 0,
        limit: Number.POSITIVE_INFINITY,
      });
      const lines = revisions.reverse().flatMap((revision) => logOf(revision, "deploy", now));
      lines.sort((a, b) => a.timestamp - b.timestamp);
      return { status: 200, body: pageOfLog(lines, body ?? {}) };
    },
  }),
];
