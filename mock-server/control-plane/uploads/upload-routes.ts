import { type HttpResponse, jsonResponse } from "../../kit/http/http-response.ts";
import type { RequestContext } from "../../kit/http/request-context.ts";
import type { Endpoint, Router } from "../../kit/http/router.ts";
import type { DeploymentRegistry } from "../deployments/deployment-registry.ts";
import { maxTarballBytes } from "./source-tarball.ts";
import type { UploadService } from "./upload-service.ts";

/** The operation id of uploads, which the service's own description doesn't have. */
export const uploadOperation = "upload_source";

/** Serves upload URLs, and refuses image pushes. */
export function serveUploads(router: Router<Endpoint>, uploads: UploadService, deployments: DeploymentRegistry): void {
  const refusal = jsonResponse(405, { detail: "An upload URL takes a PUT." }, { allow: "PUT" });
  const receive = async (context: RequestContext): Promise<HttpResponse> => {
    const objectPath = context.rawPath.slice("/uploads/".length);
    const deploymentId = uploads.authorize(objectPath, context.query);
    const tooLarge = `The tarball is larger than ${maxTarballBytes} bytes.`;
    const data = await context.readBytes(maxTarballBytes, tooLarge);
    context.tenant = deployments.find(deploymentId).tenantId;
    uploads.put(objectPath, deploymentId, data);
    return jsonResponse(200, {});
  };
  router.all("/uploads/*", {
    operation: uploadOperation,
    handle: (context) => (context.method === "PUT" ? receive(context) : refusal),
  });
  router.all("/v2/registry/*", { operation: null, handle: refusePush });
  router.on("GET", "/v2/", { operation: null, handle: refusePush });
}

/** An error in the format of image registries, so that the pushing client shows the message. */
function refusePush(): HttpResponse {
  const message =
    "The mock server accepts no images. Deploy an uploaded tarball (source internal_source), or an image URI (source external_docker).";
  return jsonResponse(403, { errors: [{ code: "DENIED", message }] });
}
