import { posix } from "node:path";
import { text } from "node:stream/consumers";
import { missingReferences } from "./source-references.ts";
import { readTarball, TarballError, type TarballLimits, tarballLimits } from "./tar-entries.ts";

/** Of an accepted tarball, packed: 200 MiB, which is also where the service's own client stops. */
export const maxTarballBytes = 200 * 1024 * 1024;

/** What a valid tarball turned out to hold. */
export interface SourceTarball {
  /** Paths of its files. */
  files: string[];
  /** Names of the graphs in the configuration file. */
  graphs: string[];
}

/**
 * Looks at a tarball without writing anything.
 * @throws {TarballError} naming what is wrong.
 */
export async function inspectTarball(
  data: Uint8Array,
  configPath: string,
  limits: TarballLimits = tarballLimits,
): Promise<SourceTarball> {
  const wanted = posix.normalize(configPath);
  const files: string[] = [];
  let config: string | undefined;
  for await (const { path, isDirectory, size, content } of readTarball(data, limits)) {
    if (isDirectory) continue;
    const name = posix.normalize(path);
    files.push(name);
    if (name !== wanted) continue;
    if (size > limits.configBytes) throw new TarballError(`${configPath} is larger than ${limits.configBytes} bytes`);
    config = await text(content);
  }
  if (config === undefined)
    throw new TarballError(
      `it has no ${configPath}: add the graph configuration file, or name its path in graph_config_path`,
    );
  const { graphs, ...rest } = parseConfig(config, configPath);
  const missing = missingReferences({ graphs, ...rest }, wanted, files);
  if (missing.length > 0) throw new TarballError(`in ${configPath}, ${missing.join("; ")}`);
  return { files, graphs: Object.keys(graphs) };
}

function parseConfig(text: string, configPath: string): { graphs: object } {
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch (error) {
    throw new TarballError(`${configPath} isn't JSON: ${(error as Error).message}`);
  }
  const graphs = (config as { graphs?: unknown } | null)?.graphs;
  if (typeof graphs !== "object" || graphs === null || Object.keys(graphs).length === 0) {
    throw new TarballError(`${configPath} names no graphs`);
  }
  return { ...(config as object), graphs };
}
