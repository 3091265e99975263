import { buildPackageIfStale } from "../../scripts/build-package.ts";

/** Global setup of tests that use the built package: rebuilds it if the sources changed. */
export async function setup(): Promise<void> {
  await buildPackageIfStale();
}
