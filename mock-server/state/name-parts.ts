import { SlotSet } from "./slot-set.ts";

/** How many of a part's pairs are looked at, the rarest first: by then hardly a name is left that hasn't the part. */
const mostPairs = 4;

/** For how many parts the names that hold them are kept. */
const mostParts = 8;

/** Which names may hold a part. */
export interface NameCandidates {
  /** The slots of all names that hold the part are in each of these. */
  sets: SlotSet[];
  /** Whether the slots that are in all sets are those of names that hold the part, and of no others. */
  isExact: boolean;
}

/**
 * Names by the characters in them, by the pairs of neighbours and by the pairs that have one character between them. Both kinds of pairs together tell nearly
 * as much as triples and are far fewer: triples of names that are identifiers would take ten times the memory.
 */
export class NameParts {
  readonly #characters = new Map<number, SlotSet>();
  readonly #neighbours = new Map<number, SlotSet>();
  readonly #nextNeighbours = new Map<number, SlotSet>();
  /** By part; names below `end` have been looked at. */
  readonly #holders = new Map<string, { set: SlotSet; end: number }>();

  add(name: string, slot: number): void {
    for (let index = 0; index < name.length; index++) {
      const code = name.charCodeAt(index);
      setOf(this.#characters, code).add(slot);
      if (index > 0) setOf(this.#neighbours, pairOf(name.charCodeAt(index - 1), code)).add(slot);
      if (index > 1) setOf(this.#nextNeighbours, pairOf(name.charCodeAt(index - 2), code)).add(slot);
    }
  }

  /** The slots below `end` of the names that hold `part`: looked through once, and for the last few parts kept. */
  holding(part: string, end: number, nameOf: (slot: number) => string | undefined): SlotSet {
    const known = this.#holders.get(part) ?? { set: new SlotSet(), end: 0 };
    if (this.#holders.size >= mostParts) this.#holders.clear();
    this.#holders.set(part, known);
    for (; known.end < end; known.end++) if (nameOf(known.end)?.includes(part)) known.set.add(known.end);
    return known.set;
  }

  /** Where to look for names that hold `part`; `undefined` when no name does. */
  candidates(part: string): NameCandidates | undefined {
    const sets = new Set<SlotSet>();
    for (let index = 0; index < part.length; index++) {
      const code = part.charCodeAt(index);
      const found: (SlotSet | undefined)[] = [];
      if (part.length === 1) found.push(this.#characters.get(code));
      if (index > 0) found.push(this.#neighbours.get(pairOf(part.charCodeAt(index - 1), code)));
      if (index > 1) found.push(this.#nextNeighbours.get(pairOf(part.charCodeAt(index - 2), code)));
      for (const set of found) {
        if (!set) return undefined;
        sets.add(set);
      }
    }
    const rarest = [...sets].sort((a, b) => a.size - b.size).slice(0, mostPairs);
    return { sets: rarest, isExact: part.length < 3 };
  }

  clear(): void {
    this.#holders.clear();
    this.#characters.clear();
    this.#neighbours.clear();
    this.#nextNeighbours.clear();
  }
}

const pairOf = (first: number, second: number) => first * 0x10000 + second;

function setOf(sets: Map<number, SlotSet>, key: number): SlotSet {
  let set = sets.get(key);
  if (!set) {
    set = new SlotSet();
    sets.set(key, set);
  }
  return set;
}
