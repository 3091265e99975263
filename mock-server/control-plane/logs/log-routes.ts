import type { LogsRequest } from "../../../core/wire/logs.ts";
import type { Mock } from "../../mock.ts";
import { notFound, ruleBroken, validationFailed } from "../common-responses.ts";
import { findDeployment } from "../deployments/deployment-model.ts";
import { findRevision } from "../revisions/revision-model.ts";
import { route } from "../route.ts";
import { logsRequest, logsResponse } from "../schemas.ts";
import { type LogKind, type LogLine, logOf } from "./log-lines.ts";
import { pageOfLog } from "./log-page.ts";

const tag = "Logs (v1)";
const responses = {
  200: { description: "One page of log lines.", schema: logsResponse },
  400: ruleBroken,
  404: notFound,
  422: validationFailed,
};

/** The answer with a page of what the rollouts and then the agent server have logged. */
function answerWith(mock: Mock, lines: LogLine[], request: LogsRequest | undefined) {
  const ordered = lines.toSorted((a, b) => a.timestamp - b.timestamp);
  return { status: 200, body: pageOfLog(ordered, request ?? {}, (text) => mock.redaction.text(text)) } as const;
}

function revisionLogRoute(kind: LogKind) {
  return route({
    id: `get_${kind}_logs`,
    method: "post",
    path: `/v1/projects/{deployment_id}/revisions/{revision_id}/${kind}_logs`,
    tag,
    summary: `Read the ${kind} log of a revision`,
    body: { schema: logsRequest, required: false },
    responses,
    handle({ mock, scope, params, body }) {
      const deployment = findDeployment(mock, scope, params.deployment_id as string);
      const revision = findRevision(mock, deployment, params.revision_id as string);
      const said = kind === "deploy" ? mock.agentLines.of(deployment.id, revision.id) : [];
      return answerWith(mock, [...logOf(revision, kind, mock.clock.now()), ...said], body);
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
    handle({ mock, scope, params, body }) {
      const deployment = findDeployment(mock, scope, params.deployment_id as string);
      const now = mock.clock.now();
      const revisions = mock.state.revisions.find({ deploymentId: deployment.id });
      const lines = revisions.flatMap((revision) => logOf(revision, "deploy", now));
      return answerWith(mock, [...lines, ...mock.agentLines.of(deployment.id)], body);
    },
  }),
];
