import { access, mkdir, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/** The root of this checkout. */
export const checkout = dirname(dirname(dirname(import.meta.dirname)));

/** The folder of the @pulumi/pulumi that this checkout installed. */
export const pulumiSdk = dirname(require.resolve("@pulumi/pulumi/package.json"));

/** The path of the CLI, or why there is none. */
export type PulumiCli =
  | { readonly path: string; readonly reason?: never }
  | { readonly path?: never; readonly reason: string };

/**
 * The Pulumi CLI of this test run: the one that the test launcher found or built (`GRAPHDEPLOY_PULUMI_CLI`,
 * `GRAPHDEPLOY_PULUMI_REASON`), or without the launcher, one on the machine. This doesn't download or build anything.
 */
export async function pulumiCli(): Promise<PulumiCli> {
  const path = process.env.GRAPHDEPLOY_PULUMI_CLI;
  if (path !== undefined && path !== "") return { path };
  const reason = process.env.GRAPHDEPLOY_PULUMI_REASON;
  if (reason !== undefined && reason !== "") return { reason };
  const { findPulumi } = await import("../../../scripts/get-pulumi.mjs");
  const found = findPulumi();
  return found === undefined ? { reason: "no Pulumi CLI on this machine; npm test gets one" } : { path: found };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * A PATH with the programs that the CLI starts: the Node.js that runs the tests, a language host (Pulumi's own if it is
 * next to the CLI, else this repository's) and the SDK's dynamic provider.
 *
 * @param cli the CLI's executable
 * @param folder created with links to them
 */
export async function pulumiPath(cli: string, folder: string): Promise<string> {
  await mkdir(folder);
  await symlink(join(pulumiSdk, "pulumi-resource-pulumi-nodejs"), join(folder, "pulumi-resource-pulumi-nodejs"));
  const host = "pulumi-language-nodejs";
  if (!(await exists(join(dirname(cli), host)))) {
    const shim = `#!/bin/sh\nexec "${process.execPath}" "${join(checkout, "scripts", `${host}.mjs`)}" "$@"\n`;
    await writeFile(join(folder, host), shim, { mode: 0o755 });
  }
  return [dirname(cli), folder, dirname(process.execPath), process.env.PATH ?? ""].join(delimiter);
}
