import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { checkout, runCommand } from "./run-command.ts";

/**
 * Packs what `npm publish` would upload, from the current build.
 *
 * @param folder an existing folder for the tarball
 * @returns the tarball's path
 * @throws Error when npm fails
 */
export async function packPackage(folder: string): Promise<string> {
  // Without scripts: `prepack` would build again.
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const status = await runCommand("npm", args, { cwd: checkout });
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  if (status !== 0 || tarball === undefined) throw new Error(`npm pack failed (status ${status})`);
  return join(folder, tarball);
}
