import { existsSync, symlinkSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { readTarball } from "../control-plane/uploads/tar-entries.ts";

/**
 * Unpacks a tarball into a new folder that only this user can access. Validates it again, since the upload may have
 * been replaced after the build validated it. Projects are uploaded without their packages: the folder's `node_modules`
 * links to that of the server's working directory, unless the tarball has its own.
 * @returns the folder; the caller removes it.
 * @throws {TarballError} for an invalid tarball.
 */
export async function extractTarball(data: Uint8Array): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "graphdeploy-upload-")));
  try {
    for await (const { path, isDirectory, content } of readTarball(data)) {
      const target = resolve(folder, path);
      await mkdir(isDirectory ? target : dirname(target), { recursive: true, mode: 0o700 });
      if (!isDirectory) await writeFile(target, content, { mode: 0o600 });
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  const packages = join(process.cwd(), "node_modules");
  if (existsSync(packages) && !existsSync(join(folder, "node_modules"))) {
    symlinkSync(packages, join(folder, "node_modules"), "dir");
  }
  return folder;
}
