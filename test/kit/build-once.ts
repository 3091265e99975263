import { buildPackageIfStale } from "../../scripts/build-package.ts";

/** Before tests that use the built package: builds it when the sources changed. */
export async function setup(): Promise<void> {
  await buildPackageIfStale();
}
