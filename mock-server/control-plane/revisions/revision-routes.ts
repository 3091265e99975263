import { agentUrl } from "../../mock.ts";
import { notFound, ruleBroken, validationFailed } from "../common-responses.ts";
import { listed } from "../deployments/deployment-filters.ts";
import { changeDeployment, findDeployment, patchDeployment } from "../deployments/deployment-model.ts";
import { isRemoteReconciled } from "../deployments/deployment-state.ts";
import { optionalFlag, optionalText, pagingParameters } from "../paging.ts";
import { route } from "../route.ts";
import { deploymentPatchRequest, deploymentResponse, revisionResponse, revisionsListResponse } from "../schemas.ts";
import type { RevisionRecord } from "../store/records.ts";
import { viewDeployment, viewRevision } from "../views.ts";
import { addRevision, findRevision, interruptRevision } from "./revision-model.ts";

const tag = "Deployments (v2)";
const revisionsPath = "/v2/deployments/{deployment_id}/revisions";

export const revisionRoutes = [
  route({
    id: "list_revisions",
    method: "get",
    path: revisionsPath,
    tag,
    summary: "List the revisions of a deployment, latest first",
    query: {
      ...pagingParameters,
      status: optionalText("Statuses separated by commas."),
      remote_reconciled: optionalFlag("Whether a listener in the customer's cluster reconciles the deployment."),
    },
    responses: {
      200: { description: "One page of revisions.", schema: revisionsListResponse },
      404: notFound,
      422: validationFailed,
    },
    handle({ mock, scope, params, query }) {
      const { limit, offset, status, remote_reconciled: remote } = query;
      const deployment = findDeployment(mock, scope, params.deployment_id as string);
      const now = mock.clock.now();
      const statuses = status === null || status === undefined ? undefined : listed(status);
      const isWanted = remote === null || remote === undefined || remote === isRemoteReconciled(deployment);
      const page = isWanted ? mock.state.revisions.list(deployment.id, { now, statuses, offset, limit }) : [];
      const resources = page.map((revision) => viewRevision(revision, now));
      return { status: 200, body: { resources, offset: offset + resources.length } };
    },
  }),
  route({
    id: "create_revision",
    method: "post",
    path: revisionsPath,
    tag,
    summary: "Make a new revision, changed or not",
    body: { schema: deploymentPatchRequest, required: false },
    responses: {
      201: { description: "The new revision.", schema: revisionResponse },
      400: ruleBroken,
      404: notFound,
      422: validationFailed,
    },
    async handle({ mock, scope, params, body }) {
      const { revision } = await changeDeployment(mock, scope, params.deployment_id as string, (record) =>
        patchDeployment(mock, record, body ?? {}, true),
      );
      return { status: 201, body: viewRevision(revision as RevisionRecord, mock.clock.now()) };
    },
  }),
  route({
    id: "get_revision",
    method: "get",
    path: `${revisionsPath}/{revision_id}`,
    tag,
    summary: "Read a revision",
    responses: {
      200: { description: "The revision.", schema: revisionResponse },
      404: notFound,
      422: validationFailed,
    },
    handle({ mock, scope, params }) {
      const deployment = findDeployment(mock, scope, params.deployment_id as string);
      const revision = findRevision(mock, deployment, params.revision_id as string);
      return { status: 200, body: viewRevision(revision, mock.clock.now()) };
    },
  }),
  route({
    id: "redeploy_revision",
    method: "post",
    path: `${revisionsPath}/{revision_id}/redeploy`,
    tag,
    summary: "Make a new revision with the config and commit of an earlier one",
    responses: {
      200: { description: "The deployment, with its new latest revision.", schema: deploymentResponse },
      400: ruleBroken,
      404: notFound,
      422: validationFailed,
    },
    async handle({ mock, scope, params }) {
      const { deployment } = await changeDeployment(mock, scope, params.deployment_id as string, async (record) => {
        const { source, config } = findRevision(mock, record, params.revision_id as string);
        return addRevision(mock, record, { source, config });
      });
      return { status: 200, body: viewDeployment(deployment, agentUrl(mock, deployment.id), mock.clock.now()) };
    },
  }),
  route({
    id: "interrupt_revision",
    method: "post",
    path: `${revisionsPath}/{revision_id}/interrupt`,
    tag,
    summary: "Stop a rollout",
    responses: {
      200: { description: "The interrupted revision.", schema: revisionResponse },
      400: ruleBroken,
      404: notFound,
      422: validationFailed,
    },
    async handle({ mock, scope, params }) {
      const { revision } = await changeDeployment(mock, scope, params.deployment_id as string, (record) =>
        interruptRevision(mock, record, params.revision_id as string),
      );
      return { status: 200, body: viewRevision(revision, mock.clock.now()) };
    },
  }),
];
