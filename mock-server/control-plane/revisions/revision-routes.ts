import { notFound, ruleBroken, validationFailed } from "../common-responses.ts";
import { listed } from "../deployments/deployment-filters.ts";
import { isRemoteReconciled } from "../deployments/deployment-state.ts";
import { optionalFlag, optionalText, pageOf, pagingParameters } from "../paging.ts";
import { route } from "../route.ts";
import { deploymentPatchRequest, deploymentResponse, revisionResponse, revisionsListResponse } from "../schemas.ts";
import type { RevisionRecord } from "../store/records.ts";

const tag = "Deployments (v2)";
const revisionsPath = "/v2/deployments/{deployment_id}/revisions";

export const revisionRoutes = [
  route({
    id: "list_revisions",
    method: "get",
    path: revisionsPath,
    tag,
    summary: "List the revisions of a deployment, newest first",
    query: {
      ...pagingParameters,
      status: optionalText("Statuses, separated by commas."),
      remote_reconciled: optionalFlag("Whether a listener in the customer's cluster reconciles the deployment."),
    },
    responses: {
      200: { description: "One page of revisions.", schema: revisionsListResponse },
      404: notFound,
      422: validationFailed,
    },
    handle({ deployments, revisions, params, query }) {
      const { status, remote_reconciled: remote } = query;
      const deployment = deployments.find(params.deployment_id);
      const statuses = status === null || status === undefined ? undefined : listed(status);
      const isWanted = remote === null || remote === undefined || remote === isRemoteReconciled(deployment);
      const page = isWanted ? revisions.list(deployment, { ...query, statuses }) : [];
      return pageOf(
        page.map((revision) => revisions.view(revision)),
        query,
      );
    },
  }),
  route({
    id: "create_revision",
    method: "post",
    path: revisionsPath,
    tag,
    summary: "Create a revision, with or without changes",
    body: { schema: deploymentPatchRequest, required: false },
    responses: {
      201: { description: "The new revision.", schema: revisionResponse },
      400: ruleBroken,
      404: notFound,
      422: validationFailed,
    },
    async handle({ deployments, revisions, params, body }) {
      const { revision } = await deployments.patch(params.deployment_id, body ?? {}, true);
      return { status: 201, body: revisions.view(revision as RevisionRecord) };
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
    handle({ deployments, revisions, params }) {
      const revision = revisions.find(deployments.find(params.deployment_id), params.revision_id);
      return { status: 200, body: revisions.view(revision) };
    },
  }),
  route({
    id: "redeploy_revision",
    method: "post",
    path: `${revisionsPath}/{revision_id}/redeploy`,
    tag,
    summary: "Create a revision with the config and commit of an earlier one",
    responses: {
      200: { description: "The deployment, with its new latest revision.", schema: deploymentResponse },
      400: ruleBroken,
      404: notFound,
      422: validationFailed,
    },
    async handle({ deployments, revisions, params }) {
      const { deployment } = await deployments.change(params.deployment_id, (record) => {
        const { source, config } = revisions.find(record, params.revision_id);
        return revisions.add(record, { source, config });
      });
      return { status: 200, body: deployments.view(deployment) };
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
    async handle({ deployments, revisions, params }) {
      const { revision } = await deployments.change(params.deployment_id, (record) =>
        revisions.interrupt(record, params.revision_id),
      );
      return { status: 200, body: revisions.view(revision) };
    },
  }),
];
