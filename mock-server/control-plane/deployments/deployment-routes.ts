import { z } from "zod";
import { deploymentTypes } from "../../../core/client/wire/deployments.ts";
import { HttpError } from "../../kit/http/http-error.ts";
import { notFound, ruleBroken, validationFailed } from "../common-responses.ts";
import { optionalFlag, optionalText, pageOf, pagingParameters } from "../paging.ts";
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
import { deploymentNotFound } from "./deployment-registry.ts";

const tag = "Deployments (v2)";

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
      status: optionalText("One or several statuses, separated by commas."),
      remote_reconciled: optionalFlag(
        "Whether a listener in the customer's cluster reconciles it (an image with a listener_id).",
      ),
      tag_value_ids: optionalText("Tag value IDs, separated by commas; deployments with any of them match."),
      image_version: optionalText("The version of the image: of an external image, its tag."),
      deployment_type: {
        kind: "string",
        schema: z.enum(deploymentTypes).nullish(),
        description: "The type of the deployment.",
      },
      deployment_ids: optionalText("Deployment IDs, separated by commas."),
    },
    responses: {
      200: { description: "One page of deployments.", schema: deploymentsListResponse },
      422: validationFailed,
    },
    handle({ deployments, query }) {
      const page = deployments.list(query);
      return pageOf(
        page.map((record) => deployments.view(record)),
        query,
      );
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
    async handle({ deployments, body }) {
      return { status: 201, body: deployments.view(await deployments.create(body)) };
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
        description: "The deployments to delete: repeat the parameter, or separate IDs by commas.",
      },
    },
    responses: {
      200: { description: "All deployments are being deleted.", schema: deletionsResponse },
      207: { description: "Some deployments are being deleted, others weren't found.", schema: deletionsResponse },
      404: notFound,
      422: validationFailed,
    },
    async handle({ deployments, query }) {
      const ids = [...new Set(query.deployment_ids.map((id) => id.toLowerCase()))];
      const results = [];
      for (const id of ids) {
        try {
          await deployments.delete(id, false);
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
    handle({ deployments, params }) {
      return { status: 200, body: deployments.view(deployments.find(params.deployment_id)) };
    },
  }),
  route({
    id: "patch_deployment",
    method: "patch",
    path: "/v2/deployments/{deployment_id}",
    tag,
    summary: "Change a deployment; some changes create a revision",
    description:
      "Any value other than null of a source_revision_config field, secrets (unless empty), secret_references, resource_spec, install_command or build_command creates one new revision.",
    body: { schema: deploymentPatchRequest, required: true },
    responses: {
      200: { description: "The changed deployment.", schema: deploymentResponse },
      400: ruleBroken,
      404: notFound,
      422: validationFailed,
    },
    async handle({ deployments, params, body }) {
      const { deployment } = await deployments.patch(params.deployment_id, body);
      return { status: 200, body: deployments.view(deployment) };
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
    responses: { 204: { description: "The deployment is being deleted." }, 404: notFound, 422: validationFailed },
    async handle({ deployments, params, query }) {
      await deployments.delete(params.deployment_id, query.delete_tracing_project);
      return { status: 204 };
    },
  }),
  route({
    id: "create_push_token",
    method: "post",
    path: "/v2/deployments/{deployment_id}/push-token",
    tag,
    summary: "Create a token for pushing an image",
    body: { schema: pushTokenRequest, required: false },
    responses: {
      200: { description: "The token and its registry.", schema: pushTokenResponse },
      400: ruleBroken,
      404: notFound,
      422: validationFailed,
    },
    handle({ deployments, params }) {
      return { status: 200, body: deployments.createPushToken(params.deployment_id) };
    },
  }),
  route({
    id: "create_upload_url",
    method: "post",
    path: "/v2/deployments/{deployment_id}/upload-url",
    tag,
    summary: "Create a URL for uploading a source tarball",
    body: { schema: uploadUrlRequest, required: false },
    responses: {
      200: { description: "The URL to PUT the tarball to, and its object path.", schema: uploadUrlResponse },
      400: ruleBroken,
      404: notFound,
      422: validationFailed,
    },
    handle({ deployments, params, body }) {
      const headers = body?.supports_upload_headers ? { upload_headers: {} } : {};
      return { status: 200, body: { ...deployments.createUploadUrl(params.deployment_id), ...headers } };
    },
  }),
];
