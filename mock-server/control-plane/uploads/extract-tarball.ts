import { existsSync, symlinkSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { readTarball } from "./tar-entries.ts";

/**
 * Unpacks a tarball into a new folder that only this user can enter. It need not be the one that was looked at: its address takes another. Packages aren't uploaded with a
 * project: those of the server's working directory are linked to as its `node_modules`, unless the tarball has its own.
 * @returns the folder, which the caller removes.
 * @throws {TarballError} for a tarball that isn't right.
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
