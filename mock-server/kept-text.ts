/** How many bytes are taken from the system at once. */
const chunkBytes = 256 * 1024;
/** Of UTF-8, for one UTF-16 code unit. */
const mostBytesPerUnit = 3;

/** A text as UTF-8, in a part of a chunk. */
export class KeptText {
  /** How many bytes it takes. */
  readonly length: number;
  readonly #chunk: Buffer;
  readonly #start: number;

  constructor(chunk: Buffer, start: number, length: number) {
    this.#chunk = chunk;
    this.#start = start;
    this.length = length;
  }

  toString(): string {
    return this.#chunk.toString("utf8", this.#start, this.#start + this.length);
  }
}

/**
 * Keeps texts outside of the JavaScript heap. One that lives for some thousand requests would otherwise be copied twice by the garbage collector and then
 * be left among what is old, where it is looked for longest. A chunk is free when none of its texts is held any more.
 */
export class TextKeeper {
  #chunk = Buffer.alloc(0);
  #end = 0;

  keep(text: string): KeptText {
    const most = text.length * mostBytesPerUnit;
    if (most > chunkBytes) {
      const own = Buffer.from(text);
      return new KeptText(own, 0, own.length);
    }
    if (most > this.#chunk.length - this.#end) {
      this.#chunk = Buffer.allocUnsafeSlow(chunkBytes);
      this.#end = 0;
    }
    const start = this.#end;
    this.#end += this.#chunk.write(text, start);
    return new KeptText(this.#chunk, start, this.#end - start);
  }
}
