import { HttpError } from "../../kit/http/http-error.ts";
import { type HttpResponse, jsonResponse } from "../../kit/http/http-response.ts";
import type { RequestContext } from "../../kit/http/request-context.ts";
import type { Endpoint, Router } from "../../kit/http/router.ts";
import type { Mock } from "../../mock.ts";
import { findAnywhere } from "../deployments/deployment-model.ts";
import { largestTarball } from "./source-tarball.ts";
import { deploymentOfUpload, isSignedUpload } from "./upload-model.ts";

/** The id of what takes an uploaded tarball; the service's own description has no such operation. */
export const uploadOperation = "upload_source";

/** Takes uploaded tarballs at the addresses that were given out, and turns image pushes away. */
export function serveUploads(router: Router<Endpoint>, mock: Mock): void {
  const refusal = jsonResponse(405, { detail: "An upload address takes a PUT." }, { allow: "PUT" });
  router.all("/uploads/*", {
    operation: uploadOperation,
    handle: (context) => (context.method === "PUT" ? receiveUpload(context, mock) : refusal),
  });
  router.all("/v2/registry/*", { operation: null, handle: refusePush });
  router.on("GET", "/v2/", { operation: null, handle: refusePush });
}

async function receiveUpload(context: RequestContext, mock: Mock): Promise<HttpResponse> {
  const { query } = context;
  const objectPath = context.rawPath.slice("/uploads/".length);
  const expires = query.get("expires") ?? "";
  const deploymentId = deploymentOfUpload(objectPath);
  if (deploymentId === undefined || !isSignedUpload(mock, objectPath, expires, query.get("signature") ?? "")) {
    throw new HttpError(403, "The upload address isn't signed by this server, or was changed.");
  }
  if (mock.clock.now() > Number(expires)) {
    throw new HttpError(403, "The upload address has expired: ask for another.");
  }
  const tooLarge = `The tarball is larger than ${largestTarball} bytes.`;
  const data = await context.readBytes(largestTarball, tooLarge);
  const deployment = findAnywhere(mock, deploymentId);
  if (!deployment) throw new HttpError(404, `Deployment ID ${deploymentId} not found.`);
  context.tenant = deployment.tenantId;
  mock.state.uploads.put({ id: objectPath, deploymentId, uploadedAt: mock.clock.now() }, data);
  return jsonResponse(200, {});
}

/** An error as image registries send it, so that the pushing client shows the message. */
function refusePush(): HttpResponse {
  const message =
    "The mock server takes no images. Deploy by source internal_source with an uploaded tarball, or by external_docker with an image URI.";
  return jsonResponse(403, { errors: [{ code: "DENIED", message }] });
}
