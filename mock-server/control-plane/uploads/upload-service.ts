import { badRequest, HttpError } from "../../kit/http/http-error.ts";
import type { Build } from "../builds.ts";
import type { ControlPlaneOptions } from "../control-plane-options.ts";
import { inspectTarball } from "./source-tarball.ts";
import { TarballError } from "./tar-entries.ts";

/** Lifetime of an upload URL: 15 minutes, in milliseconds. */
const uploadLifetime = 15 * 60_000;
const purpose = "upload";

export type UploadServiceOptions = Pick<ControlPlaneOptions, "store" | "clock" | "ids" | "signer" | "publicUrl">;

/** The source tarballs of deployments. A signed URL is the permission to upload. */
export class UploadService {
  readonly #options: UploadServiceOptions;

  constructor(options: UploadServiceOptions) {
    this.#options = options;
  }

  /** A URL to PUT a source tarball to, any number of times until it expires, and the object path for revisions. */
  createUrl(deploymentId: string): { upload_url: string; object_path: string } {
    const { clock, ids, signer, publicUrl } = this.#options;
    const objectPath = `sources/${deploymentId}/${ids.uuid()}.tar.gz`;
    const expires = String(clock.now() + uploadLifetime);
    const signature = signer.sign(purpose, `${objectPath}\n${expires}`);
    const query = new URLSearchParams({ expires, signature });
    return { upload_url: `${publicUrl()}/uploads/${objectPath}?${query}`, object_path: objectPath };
  }

  /**
   * The deployment of an upload URL.
   * @throws {HttpError} 403 for a URL that this server didn't sign for this object, or that has expired.
   */
  authorize(objectPath: string, query: URLSearchParams): string {
    const { clock, signer } = this.#options;
    const expires = query.get("expires") ?? "";
    const deploymentId = deploymentOfUpload(objectPath);
    const isSigned = signer.verify(purpose, `${objectPath}\n${expires}`, query.get("signature") ?? "");
    if (deploymentId === undefined || !isSigned) {
      throw new HttpError(403, "The upload URL isn't signed by this server, or was changed.");
    }
    if (clock.now() > Number(expires)) throw new HttpError(403, "The upload URL has expired: create another.");
    return deploymentId;
  }

  put(objectPath: string, deploymentId: string, data: Buffer): void {
    const { store, clock } = this.#options;
    store.uploads.put({ id: objectPath, deploymentId, uploadedAt: clock.now() }, data);
  }

  /** Validates an uploaded tarball in memory, without running it. */
  async build(objectPath: string, configPath: string): Promise<Build> {
    const upload = this.#options.store.uploads.read(objectPath);
    if (!upload) {
      const reason = `ERROR: nothing was uploaded to ${objectPath}.`;
      return { hasFailed: true, lines: [reason, "PUT the tarball to an upload URL, then PATCH its object_path."] };
    }
    try {
      const { files, graphs } = await inspectTarball(upload, configPath);
      return { hasFailed: false, lines: [`Unpacked ${files.length} files`, `Found the graphs ${graphs.join(", ")}`] };
    } catch (error) {
      if (!(error instanceof TarballError)) throw error;
      return { hasFailed: true, lines: [`ERROR: the source tarball can't be used: ${error.message}.`] };
    }
  }
}

/** The deployment id in an object path, if it has the form of one. */
function deploymentOfUpload(objectPath: string): string | undefined {
  return /^sources\/([0-9a-f-]{36})\/[0-9a-f-]{36}\.tar\.gz$/.exec(objectPath)?.[1];
}

/** The object path of a seeded deployment's source, which is never uploaded; scripted graphs serve the deployment. */
export function seededTarballPath(deploymentId: string): string {
  return `sources/${deploymentId}/seeded.tar.gz`;
}

/** @throws {HttpError} 400 for an object path of another deployment, unless it is unchanged. */
export function checkTarballPath(
  deploymentId: string,
  path: string | null | undefined,
  present: string | null | undefined,
): void {
  if (path === null || path === undefined || path === present || deploymentOfUpload(path) === deploymentId) return;
  throw badRequest(
    "source_revision_config.source_tarball_path must be the object_path of an upload URL of this deployment.",
  );
}
