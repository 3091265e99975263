import { randomBytes } from "node:crypto";
import { z } from "zod";
import { deploymentTypes } from "../../../core/wire/source-config.ts";
import { badRequest, HttpError } from "../../kit/http/http-error.ts";
import { agentUrl, type Mock } from "../../mock.ts";
import { notFound, ruleBroken, validationFailed } from "../common-responses.ts";
import { optionalFlag, optionalText, pagingParameters } from "../paging.ts";
import { route } from "../route.ts";
import {
  deletionsResponse,
  deploymentCreateRequest,
  deploymentPatchRequest,
  deploymentResponse,
  deploymentsListResponse,
  errorDetail,
  pushTokenRequest,
  pushTokenResponse,
  uploadUrlRequest,
  uploadUrlResponse,
} from "../schemas.ts";
import type { DeploymentRecord } from "../store/records.ts";
import { createUploadUrl } from "../uploads/upload-model.ts";
import { viewDeployment } from "../views.ts";
import { deploymentQuery } from "./deployment-filters.ts";
import {
  changeDeployment,
  createDeployment,
  deleteDeployment,
  deploymentNotFound,
  findDeployment,
  patchDeployment,
} from "./deployment-model.ts";

const tag = "Deployments (v2)";

function present(mock: Mock, record: DeploymentRecord) {
  return viewDeployment(record, agentUrl(mock, record.id), mock.clock.now());
}

function checkSource(record: DeploymentRecord, source: string, what: string): void {
  if (record.source !== source) throw badRequest(`${what} is only available for source "${source}".`);
}

export const deploymentRoutes = [
  route({
    id: "list_deployments",
    method: "get",
    path: "/v2/deployments",
    tag,
    summary: "List deployments, newest first",
    query: {
      ...pagingParameters,
      name: optionalText("The exact name."),
      name_contains: optionalText("A part of the name."),
      status: optionalText("The status, or several separated by commas."),
      remote_reconciled: optionalFlag(
        "Whether a listener in the customer's cluster reconciles it (an image with a listener_id).",
      ),
      tag_value_ids: optionalText("Tag values separated by commas; one of them is enough."),
      image_version: optionalText("The version of the image: of an external image, its tag."),
      deployment_type: {
        kind: "string",
        schema: z.enum(deploymentTypes).nullish(),
        description: "The type of the deployment.",
      },
      deployment_ids: optionalText("Deployment IDs separated by commas."),
    },
    responses: {
      200: { description: "One page of deployments.", schema: deploymentsListResponse },
      422: validationFailed,
    },
    handle({ mock, scope, query }) {
      const { edition, tenantId } = scope;
      const wanted = deploymentQuery(query, mock.clock.now(), query);
      const page = mock.state.deployments.list(edition, tenantId, wanted);
      const resources = page.map((record) => present(mock, record));
      return { status: 200, body: { resources, offset: query.offset + resources.length } };
    },
  }),
  route({
    id: "create_deployment",
    method: "post",
    path: "/v2/deployments",
    tag,
    summary: "Create a deployment and its first revision",
    body: { schema: deploymentCreateRequest, required: true },
    responses: {
      201: { description: "The new deployment.", schema: deploymentResponse },
      400: ruleBroken,
      409: { description: "The name is in use in this workspace.", schema: errorDetail },
      422: validationFailed,
    },
    handle({ mock, scope, body }) {
      const created = createDeployment(mock, scope, body);
      const answer = (record: DeploymentRecord) => ({ status: 201, body: present(mock, record) }) as const;
      return created instanceof Promise ? created.then(answer) : answer(created);
    },
  }),
  route({
    id: "delete_deployments",
    method: "delete",
    path: "/v2/deployments",
    tag,
    summary: "Delete several deployments",
    query: {
      deployment_ids: {
        kind: "list",
        schema: z.array(z.guid()).min(1).max(100),
        description: "The deployments to delete: the parameter repeated, or IDs separated by commas.",
      },
    },
    responses: {
      200: { description: "All are being deleted.", schema: deletionsResponse },
      207: { description: "Some are being deleted, some weren't found.", schema: deletionsResponse },
      404: notFound,
      422: validationFailed,
    },
    async handle({ mock, scope, query }) {
      const ids = [...new Set(query.deployment_ids.map((id) => id.toLowerCase()))];
      const results = [];
      for (const id of ids) {
        try {
          await changeDeployment(mock, scope, id, (record) => deleteDeployment(mock, record, false));
          results.push({ deployment_id: id, status: 204 });
        } catch (error) {
          if (!(error instanceof HttpError)) throw error;
          results.push({ deployment_id: id, status: error.status, detail: error.message });
        }
      }
      const deleted = results.filter(({ status }) => status === 204).length;
      if (deleted === 0) throw deploymentNotFound(ids.join(", "));
      return { status: deleted === ids.length ? 200 : 207, body: { results } };
    },
  }),
  route({
    id: "get_deployment",
    method: "get",
    path: "/v2/deployments/{deployment_id}",
    tag,
    summary: "Read a deployment",
    responses: {
      200: { description: "The deployment.", schema: deploymentResponse },
      404: notFound,
      422: validationFailed,
    },
    handle({ mock, scope, params }) {
      const deployment = findDeployment(mock, scope, params.deployment_id as string);
      return { status: 200, body: present(mock, deployment) };
    },
  }),
  route({
    id: "patch_deployment",
    method: "patch",
    path: "/v2/deployments/{deployment_id}",
    tag,
    summary: "Change a deployment; some changes make a new revision",
    description:
      "Any value other than null of a source_revision_config field, secrets (unless empty), secret_references, resource_spec, install_command or build_command makes one new revision.",
    body: { schema: deploymentPatchRequest, required: true },
    responses: {
      200: { description: "The changed deployment.", schema: deploymentResponse },
      400: ruleBroken,
      404: notFound,
      422: validationFailed,
    },
    async handle({ mock, scope, params, body }) {
      const { deployment } = await changeDeployment(mock, scope, params.deployment_id as string, (record) =>
        patchDeployment(mock, record, body),
      );
      return { status: 200, body: present(mock, deployment) };
    },
  }),
  route({
    id: "delete_deployment",
    method: "delete",
    path: "/v2/deployments/{deployment_id}",
    tag,
    summary: "Delete a deployment",
    query: {
      delete_tracing_project: {
        kind: "boolean",
        schema: z.boolean().default(false),
        description: "Whether to delete the deployment's tracing project as well.",
      },
    },
    responses: { 204: { description: "It is being deleted." }, 404: notFound, 422: validationFailed },
    async handle({ mock, scope, params, query }) {
      await changeDeployment(mock, scope, params.deployment_id as string, (record) =>
        deleteDeployment(mock, record, query.delete_tracing_project),
      );
      return { status: 204 };
    },
  }),
  route({
    id: "create_push_token",
    method: "post",
    path: "/v2/deployments/{deployment_id}/push-token",
    tag,
    summary: "Make a token for pushing an image",
    body: { schema: pushTokenRequest, required: false },
    responses: {
      200: { description: "The token and the registry it is for.", schema: pushTokenResponse },
      400: ruleBroken,
      404: notFound,
      422: validationFailed,
    },
    handle({ mock, scope, params }) {
      const record = findDeployment(mock, scope, params.deployment_id as string);
      checkSource(record, "internal_docker", "A push token");
      const token = randomBytes(24).toString("base64url");
      mock.redaction.remember(token);
      const host = new URL(mock.publicUrl()).host;
      return { status: 200, body: { token, registry_url: `${host}/registry/${record.id}` } };
    },
  }),
  route({
    id: "create_upload_url",
    method: "post",
    path: "/v2/deployments/{deployment_id}/upload-url",
    tag,
    summary: "Make an address for uploading a source tarball",
    body: { schema: uploadUrlRequest, required: false },
    responses: {
      200: { description: "Where to PUT the tarball, and its object path.", schema: uploadUrlResponse },
      400: ruleBroken,
      404: notFound,
      422: validationFailed,
    },
    handle({ mock, scope, params, body }) {
      const record = findDeployment(mock, scope, params.deployment_id as string);
      checkSource(record, "internal_source", "An upload URL");
      const headers = body?.supports_upload_headers ? { upload_headers: {} } : {};
      return { status: 200, body: { ...createUploadUrl(mock, record.id), ...headers } };
    },
  }),
];
