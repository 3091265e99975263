import { existsSync } from "node:fs";
import { join } from "node:path";
import { graphConfigFileNames } from "../../../core/client/wire/conventions.ts";

/** The graph configuration file of a folder; `undefined` when it has none with a standard name. */
export function findGraphConfig(folder: string): string | undefined {
  return graphConfigFileNames.map((name) => join(folder, name)).find((file) => existsSync(file));
}
