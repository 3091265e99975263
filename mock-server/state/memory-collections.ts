import type { Collection, CollectionRecords, Collections, StateContent } from "./repositories.ts";

const names = [
  "integrations",
  "listeners",
  "uploads",
  "providers",
  "tokens",
  "authSessions",
  "connections",
  "oauthClients",
  "oauthCodes",
  "oauthGrants",
] as const satisfies (keyof CollectionRecords)[];

class MemoryCollection<Entry extends { id: string }> implements Collection<Entry> {
  readonly entries = new Map<string, Entry>();

  async get(id: string): Promise<Entry | undefined> {
    return this.entries.get(id);
  }

  async put(record: Entry): Promise<void> {
    this.entries.set(record.id, record);
  }

  async remove(id: string): Promise<void> {
    this.entries.delete(id);
  }

  async list(accept: (record: Entry) => boolean = () => true): Promise<Entry[]> {
    return [...this.entries.values()].filter(accept);
  }
}

/** Empty collections, and what is done to all of them at once. */
export function createMemoryCollections() {
  const all = new Map(names.map((name) => [name, new MemoryCollection<{ id: string }>()]));
  const clear = () => {
    for (const collection of all.values()) collection.entries.clear();
  };
  return {
    byName: Object.fromEntries(all) as unknown as Collections,
    clear,
    content: () =>
      Object.fromEntries(
        [...all].map(([name, { entries }]) => [name, [...entries.values()]]),
      ) as unknown as StateContent["collections"],
    replace(content: StateContent["collections"]) {
      clear();
      for (const [name, { entries }] of all) for (const record of content[name]) entries.set(record.id, record);
    },
  };
}
