/** How many slots one chunk stands for. */
export const chunkSlots = 512;
/** How many words, of 32 slots each, one chunk has. */
export const chunkWords = chunkSlots / 32;

const chunkBits = 9;

/**
 * A set of slots, which are small whole numbers, as bits in chunks: chunks without a member take no memory, and what two sets have in common is found by
 * a few operations on words, however large the sets are.
 */
export class SlotSet {
  readonly #chunks = new Map<number, number[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(slot: number): boolean {
    const word = this.#chunks.get(slot >>> chunkBits)?.[wordOf(slot)] ?? 0;
    return (word & bitOf(slot)) !== 0;
  }

  add(slot: number): void {
    const number = slot >>> chunkBits;
    let chunk = this.#chunks.get(number);
    if (!chunk) {
      chunk = new Array<number>(chunkWords).fill(0);
      this.#chunks.set(number, chunk);
    }
    const word = chunk[wordOf(slot)] as number;
    if ((word & bitOf(slot)) !== 0) return;
    chunk[wordOf(slot)] = word | bitOf(slot);
    this.#size++;
  }

  delete(slot: number): void {
    if (!this.has(slot)) return;
    const number = slot >>> chunkBits;
    const chunk = this.#chunks.get(number) as number[];
    chunk[wordOf(slot)] = (chunk[wordOf(slot)] as number) & ~bitOf(slot);
    this.#size--;
    if (chunk.every((word) => word === 0)) this.#chunks.delete(number);
  }

  /** The bits of the slots from `number * chunkSlots` on; `undefined` when the set has none of them. */
  chunk(number: number): readonly number[] | undefined {
    return this.#chunks.get(number);
  }
}

const wordOf = (slot: number) => (slot & (chunkSlots - 1)) >>> 5;
const bitOf = (slot: number) => 1 << (slot & 31);

/** How many of a word's bits are set. */
export function countOfBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
