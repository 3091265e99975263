import { badRequest, HttpError } from "../../kit/http/http-error.ts";
import type { Build } from "../builds.ts";
import type { ControlPlaneOptions } from "../control-plane-options.ts";
import { inspectTarball } from "./source-tarball.ts";
import { TarballError } from "./tar-entries.ts";

/** How long an upload address is valid: 15 minutes, in milliseconds. */
const uploadLifetime = 15 * 60_000;
const purpose = "upload";

export type UploadServiceOptions = Pick<ControlPlaneOptions, "store" | "clock" | "ids" | "signer" | "publicUrl">;

/** The source tarballs of deployments. Whoever has a signed address may upload to it. */
export class UploadService {
  readonly #options: UploadServiceOptions;

  constructor(options: UploadServiceOptions) {
    this.#options = options;
  }

  /** An address to PUT a source tarball to, once or again, until it expires; and the object path to name in a revision. */
  createUrl(deploymentId: string): { upload_url: string; object_path: string } {
    const { clock, ids, signer, publicUrl } = this.#options;
    const objectPath = `sources/${deploymentId}/${ids.uuid()}.tar.gz`;
    const expires = String(clock.now() + uploadLifetime);
    const signature = signer.sign(purpose, `${objectPath}\n${expires}`);
    const query = new URLSearchParams({ expires, signature });
    return { upload_url: `${publicUrl()}/uploads/${objectPath}?${query}`, object_path: objectPath };
  }

  /**
   * The deployment that an upload address was made for.
   * @throws {HttpError} 403 unless this server made the address for this object, and it is still valid.
   */
  authorize(objectPath: string, query: URLSearchParams): string {
    const { clock, signer } = this.#options;
    const expires = query.get("expires") ?? "";
    const deploymentId = deploymentOfUpload(objectPath);
    const isSigned = signer.verify(purpose, `${objectPath}\n${expires}`, query.get("signature") ?? "");
    if (deploymentId === undefined || !isSigned) {
      throw new HttpError(403, "The upload address isn't signed by this server, or was changed.");
    }
    if (clock.now() > Number(expires)) throw new HttpError(403, "The upload address has expired: ask for another.");
    return deploymentId;
  }

  put(objectPath: string, deploymentId: string, data: Buffer): void {
    const { store, clock } = this.#options;
    store.uploads.put({ id: objectPath, deploymentId, uploadedAt: clock.now() }, data);
  }

  /** Validates an uploaded tarball. Nothing of it is unpacked to disk or run. */
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

/** The deployment whose tarball an object path is, if it has the form of one. */
function deploymentOfUpload(objectPath: string): string | undefined {
  return /^sources\/([0-9a-f-]{36})\/[0-9a-f-]{36}\.tar\.gz$/.exec(objectPath)?.[1];
}

/** Stands for the source of a deployment that a seed has made: nobody uploads one, and scripted graphs serve it. */
export function seededTarballPath(deploymentId: string): string {
  return `sources/${deploymentId}/seeded.tar.gz`;
}

/** @throws {HttpError} 400 for an object path that was not given out for this deployment, unless it is the present one. */
export function checkTarballPath(
  deploymentId: string,
  path: string | null | undefined,
  present: string | null | undefined,
): void {
  if (path === null || path === undefined || path === present || deploymentOfUpload(path) === deploymentId) return;
  throw badRequest(
    "source_revision_config.source_tarball_path must be the object_path of an upload URL that was made for this deployment.",
  );
}
