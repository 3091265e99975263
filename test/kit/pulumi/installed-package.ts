import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout, pulumiSdk } from "./command-line.ts";

/** A folder with a copy of the built package, so that a concurrent build doesn't disturb tests. */
export async function installedPackage(): Promise<{ readonly folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-provider-"));
  const installed = join(folder, "node_modules");
  await mkdir(join(installed, "@pulumi"), { recursive: true });
  await symlink(pulumiSdk, join(installed, "@pulumi", "pulumi"), "dir");
  for (const name of ["undici", "zod"]) {
    await symlink(join(checkout, "node_modules", name), join(installed, name), "dir");
  }
  for (const name of ["build", "package.json"]) {
    await cp(join(checkout, name), join(installed, "graphdeploy", name), { recursive: true });
  }
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
