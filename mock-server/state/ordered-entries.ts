import type { PageQuery } from "./repositories.ts";

/** Entries in the order of their sequence, found by binary search. */
export class OrderedEntries<Entry extends { sequence: number }> {
  readonly entries: Entry[];

  constructor(...entries: Entry[]) {
    this.entries = entries;
  }

  add(entry: Entry): void {
    if (entry.sequence > (this.entries.at(-1)?.sequence ?? Number.NEGATIVE_INFINITY)) this.entries.push(entry);
    else this.entries.splice(this.#position(entry.sequence), 0, entry);
  }

  replace(entry: Entry): void {
    this.entries[this.#position(entry.sequence)] = entry;
  }

  remove(entry: Entry): void {
    this.entries.splice(this.#position(entry.sequence), 1);
  }

  /** One page, newest first. */
  page({ offset, limit }: PageQuery): Entry[] {
    const end = Math.max(0, this.entries.length - offset);
    return this.entries.slice(Math.max(0, end - limit), end).reverse();
  }

  /** One page of those that are accepted, newest first. */
  acceptedPage({ offset, limit }: PageQuery, accept: (entry: Entry) => boolean): Entry[] {
    const found: Entry[] = [];
    let skipped = 0;
    for (let index = this.entries.length - 1; index >= 0 && found.length < limit; index--) {
      const entry = this.entries[index] as Entry;
      if (!accept(entry)) continue;
      if (skipped < offset) skipped++;
      else found.push(entry);
    }
    return found;
  }

  #position(sequence: number): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.entries[middle] as Entry).sequence < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
