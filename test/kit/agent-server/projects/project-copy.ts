import { cp, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A copy of a fixture project that a test may modify. It can resolve the repository's packages. */
export async function copyOfProject(name: string): Promise<AsyncDisposable & { folder: string }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "project-")));
  await cp(fileURLToPath(new URL(`../../../fixtures/graph-projects/${name}`, import.meta.url)), folder, {
    recursive: true,
  });
  await symlink(
    fileURLToPath(new URL("../../../../node_modules", import.meta.url)),
    join(folder, "node_modules"),
    "dir",
  );
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
