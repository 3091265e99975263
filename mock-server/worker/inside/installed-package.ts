import { findPackageJSON } from "node:module";

/** The package.json of a package as the module at a URL finds it; `undefined` when it isn't installed there. */
export function installedPackage(name: string, importer: string): string | undefined {
  try {
    return findPackageJSON(name, importer);
  } catch {
    return undefined;
  }
}
