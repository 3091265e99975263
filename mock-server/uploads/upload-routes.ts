import { findAnywhere } from "../control-plane/deployment-model.ts";
import { HttpError } from "../http-error.ts";
import type { Mock } from "../mock.ts";
import { sendJson } from "../openapi/response.ts";
import type { MockApp, MockRequest } from "../openapi/route.ts";
import { largestTarball } from "./source-tarball.ts";
import { deploymentOfUpload, isSignedUpload } from "./upload-model.ts";

/** Takes uploaded tarballs at the addresses that were given out, and turns image pushes away. */
export function serveUploads(app: MockApp, mock: Mock): void {
  app.put("/uploads/*", (context) => receiveUpload(context, mock));
  app.all("/uploads/*", (context) =>
    sendJson(context, 405, { detail: "An upload address takes a PUT." }, { allow: "PUT" }),
  );
  app.all("/v2/registry/*", refusePush);
  app.get("/v2/", refusePush);
}

async function receiveUpload(context: MockRequest, mock: Mock): Promise<Response> {
  context.set("operation", "upload_source");
  const { pathname, searchParams } = new URL(context.req.url);
  const objectPath = pathname.slice("/uploads/".length);
  const expires = searchParams.get("expires") ?? "";
  const deploymentId = deploymentOfUpload(objectPath);
  if (deploymentId === undefined || !isSignedUpload(mock, objectPath, expires, searchParams.get("signature") ?? "")) {
    throw new HttpError(403, "The upload address isn't signed by this server, or was changed.");
  }
  if (mock.clock.now() > Number(expires)) {
    throw new HttpError(403, "The upload address has expired: ask for another.");
  }
  const data = await readBytes(context);
  const deployment = await findAnywhere(mock, deploymentId);
  if (!deployment) throw new HttpError(404, `Deployment ID ${deploymentId} not found.`);
  context.set("tenant", deployment.tenantId);
  await mock.state.collections.uploads.put({
    id: objectPath,
    deploymentId,
    uploadedAt: mock.clock.now(),
    data: data.toString("base64"),
  });
  return sendJson(context, 200, {});
}

async function readBytes(context: MockRequest): Promise<Buffer> {
  const tooLarge = () =>
    new HttpError(413, `The tarball is larger than ${largestTarball} bytes.`, { connection: "close" });
  if (Number(context.req.header("content-length") ?? 0) > largestTarball) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (context.req.raw.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > largestTarball) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** An error as image registries send it, so that the pushing client shows the message. */
function refusePush(context: MockRequest): Response {
  const message =
    "The mock server takes no images. Deploy by source internal_source with an uploaded tarball, or by external_docker with an image URI.";
  return sendJson(context, 403, { errors: [{ code: "DENIED", message }] });
}
