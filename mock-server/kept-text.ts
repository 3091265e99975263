/** How many bytes are taken from the system at once. */
const chunkBytes = 256 * 1024;
/** Of UTF-8, for one UTF-16 code unit. */
const mostBytesPerUnit = 3;

/** Longer texts stay strings: few of them are made at once, and copying them costs more than keeping them. In UTF-16 code units. */
const longestCopied = 4 * 1024;

/** A text that is kept, wherever it is. Its length is in UTF-16 code units. */
export type KeptText = string | CopiedText;

/** A text as UTF-8, in a part of a chunk. */
class CopiedText {
  readonly length: number;
  readonly #chunk: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor(length: number, chunk: Buffer, start: number, end: number) {
    this.length = length;
    this.#chunk = chunk;
    this.#start = start;
    this.#end = end;
  }

  toString(): string {
    return this.#chunk.toString("utf8", this.#start, this.#end);
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
    if (text.length > longestCopied) return text;
    if (text.length * mostBytesPerUnit > this.#chunk.length - this.#end) {
      this.#chunk = Buffer.allocUnsafeSlow(chunkBytes);
      this.#end = 0;
    }
    const start = this.#end;
    this.#end += this.#chunk.write(text, start);
    return new CopiedText(text.length, this.#chunk, start, this.#end);
  }
}
