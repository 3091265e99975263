import { posix } from "node:path";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { readTar, TarballError, type TarEntry } from "./tar-entries.ts";

/** What a source tarball may hold at most. */
export interface TarballLimits {
  /** Unpacked bytes of the whole archive. */
  unpackedBytes: number;
  entries: number;
  /** Characters of a path. */
  pathLength: number;
  /** Bytes of the graph configuration file. */
  configBytes: number;
}

/** Largest accepted tarball in bytes, packed: 200 MiB, which is also where the service's own client stops. */
export const largestTarball = 200 * 1024 * 1024;

export const tarballLimits: TarballLimits = {
  unpackedBytes: 1024 * 1024 * 1024,
  entries: 100_000,
  pathLength: 1024,
  configBytes: 1024 * 1024,
};

/** What a valid tarball turned out to hold. */
export interface SourceTarball {
  /** Paths of its files. */
  files: string[];
  /** Names of the graphs in the configuration file. */
  graphs: string[];
}

/**
 * Reads a gzipped tar of a project: no entry may leave the folder, nothing but files and folders is allowed, and nothing may be larger than the
 * limits. `onEntry` returns what takes the pieces of a file.
 * @throws {TarballError} naming what is wrong, before `onEntry` hears of it; whatever `onEntry` throws.
 */
export async function readTarball(
  data: Uint8Array,
  onEntry: (entry: TarEntry) => ((piece: Uint8Array) => void) | undefined,
  limits: TarballLimits = tarballLimits,
): Promise<void> {
  let entries = 0;
  const gunzip = createGunzip();
  try {
    await readTar(limited(Readable.from([data]).pipe(gunzip), limits.unpackedBytes), (entry) => {
      const { path, kind } = entry;
      if (++entries > limits.entries) throw new TarballError(`it has more than ${limits.entries} entries`);
      checkPath(path, limits);
      if (kind === "link") throw new TarballError(`${shown(path)} is a link: only files and folders are allowed`);
      if (kind === "other") throw new TarballError(`${shown(path)} is neither a file nor a folder`);
      return onEntry(entry);
    });
  } finally {
    gunzip.destroy();
  }
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
  const config: Uint8Array[] = [];
  let hasConfig = false;
  const onEntry = ({ path, kind, size }: TarEntry) => {
    if (kind === "directory") return undefined;
    const name = posix.normalize(path);
    files.push(name);
    if (name !== wanted) return undefined;
    if (size > limits.configBytes) throw new TarballError(`${configPath} is larger than ${limits.configBytes} bytes`);
    hasConfig = true;
    return (piece: Uint8Array) => config.push(piece);
  };
  try {
    await readTarball(data, onEntry, limits);
  } catch (error) {
    if (error instanceof TarballError) throw error;
    throw new TarballError("it isn't readable: a gzipped tar archive (.tar.gz) is expected");
  }
  if (!hasConfig) throw new TarballError(`it has no ${configPath}`);
  return { files, graphs: graphsOf(Buffer.concat(config).toString("utf8"), configPath) };
}

const shown = (path: string) => JSON.stringify(path.slice(0, 200));

function checkPath(path: string, limits: TarballLimits): void {
  if (path.length > limits.pathLength) throw new TarballError(`a path is longer than ${limits.pathLength} characters`);
  if (path === "" || path.includes("\0")) throw new TarballError("an entry has no path that can be read");
  if (/^([/\\]|[a-z]:)/i.test(path) || path.split(/[/\\]/).includes("..")) {
    throw new TarballError(`${shown(path)} leads out of the archive's folder`);
  }
}

async function* limited(stream: AsyncIterable<Uint8Array>, most: number): AsyncIterable<Uint8Array> {
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > most) throw new TarballError(`it unpacks to more than ${most} bytes`);
    yield piece;
  }
}

function graphsOf(text: string, configPath: string): string[] {
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    throw new TarballError(`${configPath} is no JSON`);
  }
  const graphs = (config as { graphs?: unknown } | null)?.graphs;
  if (typeof graphs !== "object" || graphs === null || Object.keys(graphs).length === 0) {
    throw new TarballError(`${configPath} names no graphs`);
  }
  return Object.keys(graphs);
}
