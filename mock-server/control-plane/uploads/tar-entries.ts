import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Header } from "tar-stream";

/** Thrown for an invalid tarball. The message is a sentence for the build log. */
export class TarballError extends Error {
  override readonly name = "TarballError";
}

/** Limits of a source tarball. */
export interface TarballLimits {
  /** Maximum size of the unpacked archive, in bytes. */
  unpackedBytes: number;
  entries: number;
  /** Maximum length of a path, in characters. */
  pathLength: number;
  /** Maximum size of the graph configuration file, in bytes. */
  configBytes: number;
}

export const tarballLimits: TarballLimits = {
  unpackedBytes: 1024 * 1024 * 1024,
  entries: 100_000,
  pathLength: 1024,
  configBytes: 1024 * 1024,
};

const notTar = "a header isn't readable: it isn't a tar archive";

/** A file or folder of a tarball. */
export interface TarEntry {
  path: string;
  isDirectory: boolean;
  /** Size of the content, in bytes. */
  size: number;
  /** Must be read before the next entry is requested; the rest is skipped. */
  content: AsyncIterable<Uint8Array>;
}

/**
 * Reads a gzipped tar archive of a project. Refuses entries outside the archive's folder, anything but files and
 * folders, and archives over the limits.
 * @throws {TarballError} describing the problem, before the entry is yielded.
 */
export async function* readTarball(
  data: Uint8Array,
  limits: TarballLimits = tarballLimits,
): AsyncGenerator<TarEntry, void> {
  // Imported on demand: most servers never receive a tarball.
  const { extract } = await import("tar-stream");
  let entries = 0;
  const archive = extract();
  let failure: Error | null | undefined;
  const reason = () => failure;
  // A failure of any stream destroys the archive, and with it the entry that is being read.
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
    // The library would wait forever for the content of an entry with an invalid size.
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

/**
 * Yields the items of a stream and converts its errors to {@link TarballError}s; the archive knows why a stream was
 * destroyed.
 */
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
