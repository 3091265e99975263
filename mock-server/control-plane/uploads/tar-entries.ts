import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Header } from "tar-stream";

/** What is wrong with a tarball, in a sentence for the build log. */
export class TarballError extends Error {
  override readonly name = "TarballError";
}

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

export const tarballLimits: TarballLimits = {
  unpackedBytes: 1024 * 1024 * 1024,
  entries: 100_000,
  pathLength: 1024,
  configBytes: 1024 * 1024,
};

const notTar = "a header isn't readable: it is no tar archive";

/** A file or folder of a tarball. */
export interface TarEntry {
  path: string;
  isDirectory: boolean;
  /** Bytes of the content. */
  size: number;
  /** What isn't read of it before the next entry is asked for is skipped. */
  content: AsyncIterable<Uint8Array>;
}

/**
 * Reads a gzipped tar of a project: no entry may leave the folder, nothing but files and folders is allowed, and nothing may be larger than the
 * limits.
 * @throws {TarballError} naming what is wrong, before the entry is given out.
 */
export async function* readTarball(
  data: Uint8Array,
  limits: TarballLimits = tarballLimits,
): AsyncGenerator<TarEntry, void> {
  // Most servers never take a tarball.
  const { extract } = await import("tar-stream");
  let entries = 0;
  const archive = extract();
  let failure: Error | null | undefined;
  const reason = () => failure;
  // A failure of any of these streams destroys the archive, and with it the entry that is read.
  pipeline(
    Readable.from([data]),
    createGunzip(),
    (bytes) => limited(bytes, limits.unpackedBytes),
    archive,
    (error) => {
      failure = error;
    },
  );
  for await (const entry of readable(archive, reason)) {
    const { name: path, type, size } = entry.header;
    if (++entries > limits.entries) throw new TarballError(`it has more than ${limits.entries} entries`);
    // A size that the library can't read would make it wait for content forever.
    if (!Number.isSafeInteger(size)) throw new TarballError(notTar);
    checkPath(path, limits);
    checkType(path, type);
    yield {
      path,
      isDirectory: type === "directory",
      size,
      content: readable(entry as AsyncIterable<Uint8Array>, reason),
    };
    entry.resume();
  }
}

const shown = (path: string) => JSON.stringify(path.slice(0, 200));

function checkPath(path: string, limits: TarballLimits): void {
  if (path.length > limits.pathLength) throw new TarballError(`a path is longer than ${limits.pathLength} characters`);
  if (path === "" || path.includes("\0")) throw new TarballError("an entry has no path that can be read");
  if (/^([/\\]|[a-z]:)/i.test(path) || path.split(/[/\\]/).includes("..")) {
    throw new TarballError(`${shown(path)} leads out of the archive's folder`);
  }
}

function checkType(path: string, type: Header["type"]): void {
  if (type === "link" || type === "symlink") {
    throw new TarballError(`${shown(path)} is a link: only files and folders are allowed`);
  }
  if (type !== "file" && type !== "contiguous-file" && type !== "directory") {
    throw new TarballError(`${shown(path)} is neither a file nor a folder`);
  }
}

async function* limited(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > maxBytes) throw new TarballError(`it unpacks to more than ${maxBytes} bytes`);
    yield piece;
  }
}

/** Passes a stream on, with its failures as {@link TarballError}s; a destroyed stream may not know the reason itself. */
async function* readable<Item>(
  stream: AsyncIterable<Item>,
  reason: () => Error | null | undefined,
): AsyncGenerator<Item> {
  try {
    yield* stream;
  } catch (error) {
    throw tarballError((reason() ?? error) as NodeJS.ErrnoException);
  }
}

function tarballError(cause: NodeJS.ErrnoException): TarballError {
  if (cause instanceof TarballError) return cause;
  if (cause.code?.startsWith("Z_")) {
    return new TarballError("it isn't readable: a gzipped tar archive (.tar.gz) is expected", { cause });
  }
  if (cause.message === "Unexpected end of data") {
    return new TarballError("it ends in the middle of an entry", { cause });
  }
  return new TarballError(notTar, { cause });
}
