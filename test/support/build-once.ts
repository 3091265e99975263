import { buildPackageIfStale } from "../../scripts/build-package.ts";
import { usesPackage } from "../../scripts/what-tests-use.ts";

/** Before a run that may use the built package: builds it when the sources changed. */
export async function setup(): Promise<void> {
  if (usesPackage(process.argv.slice(2))) await buildPackageIfStale();
}
