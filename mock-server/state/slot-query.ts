import { chunkSlots, chunkWords, countOfBits, type SlotSet } from "./slot-set.ts";

/** Which slots to read: those that are in a set of every alternative, highest first. */
export interface SlotQuery {
  /** At least one. */
  alternatives: readonly (readonly SlotSet[])[];
  /** All slots are below it. */
  end: number;
  offset: number;
  limit: number;
  /** What else a slot must fulfil. Without it, slots before the offset are counted and not looked at. */
  accept?: ((slot: number) => boolean) | undefined;
}

/** One page of the slots that a query is for. */
export function pageOfSlots({ alternatives, end, offset, limit, accept }: SlotQuery): number[] {
  const found: number[] = [];
  const rarestFirst = alternatives.toSorted((a, b) => sizeOf(a) - sizeOf(b));
  const words = new Array<number>(chunkWords).fill(0);
  let toSkip = offset;
  for (let number = Math.floor((end - 1) / chunkSlots); number >= 0 && found.length < limit; number--) {
    if (!intersect(rarestFirst, number, words)) continue;
    for (let index = chunkWords - 1; index >= 0 && found.length < limit; index--) {
      let word = words[index] as number;
      if (word === 0) continue;
      if (toSkip > 0 && !accept) {
        const count = countOfBits(word);
        if (count <= toSkip) {
          toSkip -= count;
          continue;
        }
      }
      const first = number * chunkSlots + index * 32;
      while (word !== 0 && found.length < limit) {
        const bit = 31 - Math.clz32(word);
        word &= ~(1 << bit);
        if (accept && !accept(first + bit)) continue;
        if (toSkip > 0) toSkip--;
        else found.push(first + bit);
      }
    }
  }
  return found;
}

/** Whether a slot is in a set of every alternative. */
export function isInAll(alternatives: SlotQuery["alternatives"], slot: number): boolean {
  return alternatives.every((sets) => sets.some((set) => set.has(slot)));
}

const sizeOf = (sets: readonly SlotSet[]) => sets.reduce((size, set) => size + set.size, 0);

/** Puts the bits that all alternatives have in one chunk into `words`; `false` when there are none. */
function intersect(alternatives: SlotQuery["alternatives"], number: number, words: number[]): boolean {
  let isFirst = true;
  for (const sets of alternatives) {
    const chunk = unionOf(sets, number);
    if (!chunk) return false;
    let any = 0;
    for (let index = 0; index < chunkWords; index++) {
      const word = (chunk[index] as number) & (isFirst ? -1 : (words[index] as number));
      words[index] = word;
      any |= word;
    }
    if (any === 0) return false;
    isFirst = false;
  }
  return true;
}

function unionOf(sets: readonly SlotSet[], number: number): readonly number[] | undefined {
  if (sets.length === 1) return sets[0]?.chunk(number);
  let union: readonly number[] | undefined;
  for (const set of sets) {
    const chunk = set.chunk(number);
    if (!chunk) continue;
    union = union ? union.map((word, index) => word | (chunk[index] as number)) : chunk;
  }
  return union;
}
