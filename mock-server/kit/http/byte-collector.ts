/**
 * Bytes that arrive in pieces. One growing buffer: a body can arrive in millions of chunks, each of which takes far more
 * memory than its bytes.
 */
export class ByteCollector {
  readonly #limit: number;
  #buffer = Buffer.alloc(0);
  #size = 0;

  /** @param limit maximum size, in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a piece; returns `false`, without adding it, when it would exceed the limit. */
  add(piece: Buffer): boolean {
    const reached = this.#size + piece.length;
    if (reached > this.#limit) return false;
    if (reached > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.#limit, Math.max(reached, 2 * this.#buffer.length)));
      this.#buffer.copy(larger, 0, 0, this.#size);
      this.#buffer = larger;
    }
    piece.copy(this.#buffer, this.#size);
    this.#size = reached;
    return true;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }
}
