import { collectionKeys } from "./collection-keys.ts";
import { OrderedEntries } from "./ordered-entries.ts";
import type { Collection, CollectionRecords, Collections, PageQuery, StateContent } from "./repositories.ts";
import { recordChange, type StateKeeper } from "./state-keeper.ts";

interface Held<Entry> {
  /** Grows with every record of a collection. */
  sequence: number;
  record: Entry;
}

type Keys<Entry> = Readonly<Record<string, (record: Entry) => string | readonly string[]>>;

class MemoryCollection<Entry extends { id: string }> implements Collection<Entry, string> {
  readonly #held = new Map<string, Held<Entry>>();
  readonly #keysOf: Keys<Entry>;
  readonly #indexes: ReadonlyMap<string, Map<string, OrderedEntries<Held<Entry>>>>;
  #sequence = 0;
  readonly #name: keyof CollectionRecords;
  readonly #keeper: StateKeeper | undefined;

  constructor(name: keyof CollectionRecords, keysOf: Keys<Entry>, keeper: StateKeeper | undefined) {
    this.#name = name;
    this.#keeper = keeper;
    this.#keysOf = keysOf;
    this.#indexes = new Map(Object.keys(keysOf).map((name) => [name, new Map()]));
  }

  get(id: string): Entry | undefined {
    return this.#held.get(id)?.record;
  }

  put(record: Entry): void {
    this.#keeper?.write(recordChange(this.#name, record));
    this.set(record);
  }

  remove(id: string): void {
    const held = this.#held.get(id);
    if (!held) return;
    this.#keeper?.write({ kind: this.#name, id });
    this.#held.delete(id);
    for (const [name, index] of this.#indexes) {
      for (const key of this.#keys(name, held.record)) leave(index, key, held);
    }
  }

  all(): Entry[] {
    return this.records();
  }

  findBy(name: string, ...keys: string[]): Entry[] {
    const index = this.#indexes.get(name);
    const found = new Set(keys.flatMap((key) => index?.get(key)?.entries ?? []));
    const ordered = keys.length > 1 ? [...found].sort((a, b) => a.sequence - b.sequence) : [...found];
    return ordered.map(({ record }) => record);
  }

  hasBy(name: string, key: string): boolean {
    return this.#indexes.get(name)?.has(key) === true;
  }

  pageBy(name: string, key: string, query: PageQuery): Entry[] {
    const held = this.#indexes.get(name)?.get(key)?.page(query) ?? [];
    return held.map(({ record }) => record);
  }

  /** Takes what is kept already. */
  set(record: Entry): void {
    const known = this.#held.get(record.id);
    const before = known?.record;
    const held = known ?? { sequence: ++this.#sequence, record };
    held.record = record;
    if (!known) this.#held.set(record.id, held);
    for (const [name, index] of this.#indexes) {
      const keys = this.#keys(name, record);
      const keysBefore = before ? this.#keys(name, before) : noKeys;
      for (const key of keysBefore) if (!keys.has(key)) leave(index, key, held);
      for (const key of keys) if (!keysBefore.has(key)) enter(index, key, held);
    }
  }

  records(): Entry[] {
    return [...this.#held.values()].map(({ record }) => record);
  }

  clear(): void {
    this.#held.clear();
    for (const index of this.#indexes.values()) index.clear();
  }

  #keys(index: string, record: Entry): ReadonlySet<string> {
    const keys = this.#keysOf[index]?.(record) ?? [];
    return new Set(typeof keys === "string" ? [keys] : keys);
  }
}

const noKeys: ReadonlySet<string> = new Set();

function enter<Entry>(index: Map<string, OrderedEntries<Held<Entry>>>, key: string, held: Held<Entry>): void {
  let entries = index.get(key);
  if (!entries) {
    entries = new OrderedEntries();
    index.set(key, entries);
  }
  entries.add(held);
}

function leave<Entry>(index: Map<string, OrderedEntries<Held<Entry>>>, key: string, held: Held<Entry>): void {
  const entries = index.get(key);
  entries?.remove(held);
  if (entries?.entries.length === 0) index.delete(key);
}

/** Empty collections, and what is done to all of them at once. */
export function createMemoryCollections(keeper: StateKeeper | undefined) {
  const names = Object.keys(collectionKeys) as (keyof typeof collectionKeys)[];
  const all = new Map(
    names.map((name) => {
      const keysOf = collectionKeys[name] as unknown as Keys<{ id: string }>;
      return [name, new MemoryCollection(name, keysOf, keeper)];
    }),
  );
  const clear = () => {
    for (const collection of all.values()) collection.clear();
  };
  return {
    byName: Object.fromEntries(all) as unknown as Collections,
    clear,
    content: () =>
      Object.fromEntries(
        [...all].map(([name, collection]) => [name, collection.records()]),
      ) as unknown as StateContent["collections"],
    fill(content: StateContent["collections"]) {
      for (const [name, collection] of all) for (const record of content[name]) collection.set(record);
    },
  };
}
