import type { Build } from "../../builds/revision-projects.ts";
import { badRequest } from "../../kit/http/http-error.ts";
import type { Mock } from "../../mock.ts";
import { inspectTarball } from "./source-tarball.ts";
import { TarballError } from "./tar-entries.ts";

/** How long an upload address is valid: 15 minutes, in milliseconds. */
const uploadLifetime = 15 * 60_000;
const purpose = "upload";

/** An address to PUT a source tarball to, once or again, until it expires; and the object path to name in a revision. */
export function createUploadUrl(mock: Mock, deploymentId: string): { upload_url: string; object_path: string } {
  const objectPath = `sources/${deploymentId}/${mock.ids.uuid()}.tar.gz`;
  const expires = String(mock.clock.now() + uploadLifetime);
  const signature = mock.signer.sign(purpose, `${objectPath}\n${expires}`);
  const query = new URLSearchParams({ expires, signature });
  return { upload_url: `${mock.publicUrl()}/uploads/${objectPath}?${query}`, object_path: objectPath };
}

/** Whether an upload address was made by this server, and is for this object. */
export function isSignedUpload(mock: Mock, objectPath: string, expires: string, signature: string): boolean {
  return mock.signer.verify(purpose, `${objectPath}\n${expires}`, signature);
}

/** The deployment whose tarball an object path is, if it has the form of one. */
export function deploymentOfUpload(objectPath: string): string | undefined {
  return /^sources\/([0-9a-f-]{36})\/[0-9a-f-]{36}\.tar\.gz$/.exec(objectPath)?.[1];
}

/** @throws {HttpError} 400 for an object path that was not given out for this deployment. */
export function checkTarballPath(deploymentId: string, path: string | null | undefined): void {
  if (path === null || path === undefined || deploymentOfUpload(path) === deploymentId) return;
  throw badRequest(
    "source_revision_config.source_tarball_path must be the object_path of an upload URL that was made for this deployment.",
  );
}

/** Validates an uploaded tarball. Nothing of it is unpacked to disk or run. */
export async function buildTarball(mock: Mock, objectPath: string, configPath: string): Promise<Build> {
  const upload = mock.state.uploads.read(objectPath);
  if (!upload) return { hasFailed: true, lines: [`ERROR: nothing was uploaded to ${objectPath}.`] };
  try {
    const { files, graphs } = await inspectTarball(upload, configPath);
    return { hasFailed: false, lines: [`Unpacked ${files.length} files`, `Found the graphs ${graphs.join(", ")}`] };
  } catch (error) {
    if (!(error instanceof TarballError)) throw error;
    return { hasFailed: true, lines: [`ERROR: the source tarball can't be used: ${error.message}.`] };
  }
}
