import { closeSync, existsSync, mkdirSync, openSync, symlinkSync, writeSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { readTarball } from "./source-tarball.ts";

/**
 * Unpacks a tarball into a new folder that only this user can enter. It need not be the one that was looked at: its address takes another. Packages aren't uploaded with a
 * project: those of the server's working directory are linked to as its `node_modules`, unless the tarball has its own.
 * @returns the folder, which the caller removes.
 * @throws {TarballError} for a tarball that isn't right.
 */
export async function extractTarball(data: Uint8Array): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "graphdeploy-upload-")));
  let open: number | undefined;
  const close = () => {
    if (open !== undefined) closeSync(open);
    open = undefined;
  };
  try {
    await readTarball(data, ({ path, kind }) => {
      close();
      const target = resolve(folder, path);
      mkdirSync(kind === "directory" ? target : dirname(target), { recursive: true, mode: 0o700 });
      if (kind !== "file") return undefined;
      const file = openSync(target, "w", 0o600);
      open = file;
      return (piece) => {
        for (let written = 0; written < piece.length; ) written += writeSync(file, piece, written);
      };
    });
  } catch (error) {
    close();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  close();
  const packages = join(process.cwd(), "node_modules");
  if (existsSync(packages) && !existsSync(join(folder, "node_modules"))) {
    symlinkSync(packages, join(folder, "node_modules"), "dir");
  }
  return folder;
}
