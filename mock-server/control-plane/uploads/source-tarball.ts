import { posix } from "node:path";
import { text } from "node:stream/consumers";
import { invalidJsonAt } from "../../../core/malformed-text.ts";
import { missingReferences } from "./source-references.ts";
import { readTarball, TarballError, type TarballLimits, tarballLimits } from "./tar-entries.ts";

/** Maximum size of a tarball, packed: 200 MiB, which is also the limit of the service's own client. */
export const maxTarballBytes = 200 * 1024 * 1024;

/** The content of a valid tarball. */
export interface SourceTarball {
  /** Paths of its files. */
  files: string[];
  /** Ids of the graphs in the configuration file. */
  graphs: string[];
}

/**
 * Validates a tarball in memory.
 * @throws {TarballError} describing the problem.
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
  const offset = invalidJsonAt(text);
  if (offset !== undefined) {
    const line = text.slice(0, offset).split("\n").length;
    throw new TarballError(`${configPath}:${line} isn't valid JSON`);
  }
  const config: unknown = JSON.parse(text);
  const graphs = (config as { graphs?: unknown } | null)?.graphs;
  if (typeof graphs !== "object" || graphs === null || Object.keys(graphs).length === 0) {
    throw new TarballError(`${configPath} names no graphs`);
  }
  return { ...(config as object), graphs };
}
