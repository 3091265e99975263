/** What is wrong with a tarball, in a sentence for the build log. */
export class TarballError extends Error {
  override readonly name = "TarballError";
}

export type TarEntryKind = "file" | "directory" | "link" | "other";

/** One entry of a tar archive, without its content. `size` is in bytes. */
export interface TarEntry {
  path: string;
  kind: TarEntryKind;
  size: number;
}

const blockSize = 512;
/** Longest accepted header of the extended kinds, in bytes: long paths are all that is read from them. */
const longestExtension = 64 * 1024;
const kinds: Record<string, TarEntryKind> = {
  "0": "file",
  "\0": "file",
  "7": "file",
  "5": "directory",
  "1": "link",
  "2": "link",
};

/**
 * Reads the entries of a tar stream (ustar, with pax and GNU long names) and gives each one's content to `receive`, piece by piece.
 * @throws {TarballError} for a stream that is no tar, or ends too early.
 */
export async function readTar(
  stream: AsyncIterable<Uint8Array>,
  onEntry: (entry: TarEntry) => ((piece: Uint8Array) => void) | undefined,
): Promise<void> {
  const source = new BlockReader(stream);
  let longPath: string | undefined;
  for (;;) {
    const header = await source.take(blockSize);
    if (header === undefined || header.every((byte) => byte === 0)) return;
    checkSum(header);
    const type = String.fromCharCode(header[156] as number);
    const size = octal(header, 124, 12);
    if (type === "x" || type === "g" || type === "L" || type === "K") {
      if (size > longestExtension) throw new TarballError("a header is too long");
      const content = await source.take(padded(size));
      if (content === undefined) throw new TarballError("it ends in the middle of an entry");
      const text = Buffer.from(content.subarray(0, size)).toString("utf8");
      if (type === "L") longPath = text.replace(/\0.*$/s, "");
      else if (type === "x") longPath = paxPath(text) ?? longPath;
      continue;
    }
    const receive = onEntry({ path: longPath ?? pathOf(header), kind: kinds[type] ?? "other", size });
    longPath = undefined;
    await source.pass(size, receive);
    await source.pass(padded(size) - size, undefined);
  }
}

const padded = (size: number) => Math.ceil(size / blockSize) * blockSize;

function text(header: Uint8Array, start: number, length: number): string {
  const bytes = header.subarray(start, start + length);
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString("utf8");
}

function octal(header: Uint8Array, start: number, length: number): number {
  const digits = text(header, start, length).trim();
  if (!/^[0-7]*$/.test(digits)) throw new TarballError("a header isn't readable: it is no tar archive");
  return Number.parseInt(digits || "0", 8);
}

function pathOf(header: Uint8Array): string {
  const prefix = text(header, 257, 5) === "ustar" ? text(header, 345, 155) : "";
  const name = text(header, 0, 100);
  return prefix === "" ? name : `${prefix}/${name}`;
}

function paxPath(records: string): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(records)?.[1];
}

function checkSum(header: Uint8Array): void {
  const expected = octal(header, 148, 8);
  let sum = 0;
  header.forEach((byte, index) => {
    sum += index >= 148 && index < 156 ? 32 : byte;
  });
  if (sum !== expected) throw new TarballError("a header isn't readable: it is no tar archive");
}

/** Takes a stream apart into pieces of the wanted length. */
class BlockReader {
  readonly #iterator: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#iterator = stream[Symbol.asyncIterator]();
  }

  /** The next `size` bytes; `undefined` at the end of the stream. */
  async take(size: number): Promise<Uint8Array | undefined> {
    if (size === 0) return new Uint8Array(0);
    const pieces: Uint8Array[] = [];
    let missing = size;
    while (missing > 0) {
      const piece = await this.#piece(missing);
      if (piece === undefined) {
        if (pieces.length === 0) return undefined;
        throw new TarballError("it ends in the middle of an entry");
      }
      pieces.push(piece);
      missing -= piece.length;
    }
    return Buffer.concat(pieces);
  }

  /** Lets `size` bytes go by. */
  async pass(size: number, receive: ((piece: Uint8Array) => void) | undefined): Promise<void> {
    let missing = size;
    while (missing > 0) {
      const piece = await this.#piece(missing);
      if (piece === undefined) throw new TarballError("it ends in the middle of an entry");
      receive?.(piece);
      missing -= piece.length;
    }
  }

  async #piece(most: number): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#iterator.next();
      if (done) return undefined;
      this.#rest = value;
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }
}
