import type { Page, Table } from "../../kit/store/table.ts";

/** The records of one owner in a table. Other records can't be reached. */
export class TenantTable<Entry extends { id: string }, Owner extends Partial<Entry>> {
  readonly #table: Table<Entry>;
  readonly #owner: Owner;

  /** `owner`: the fields and values that identify the owner's records. */
  constructor(table: Table<Entry>, owner: Owner) {
    this.#table = table;
    this.#owner = owner;
  }

  get(id: string): Entry | undefined {
    return this.find({ id } as Partial<Entry>)[0];
  }

  /** The records with these values, oldest first. */
  find(wanted: Partial<Entry> = {}): Entry[] {
    return this.#table.find({ ...wanted, ...this.#owner });
  }

  /** Whether a record has these values. */
  hasAny(wanted: Partial<Entry>): boolean {
    return this.#table.hasAny({ ...wanted, ...this.#owner });
  }

  /** A page of the records, newest first. */
  page(page: Page): Entry[] {
    return this.#table.page(this.#owner, page);
  }

  /** Adds a record of the owner, or replaces the one with its id. */
  put(record: Omit<Entry, keyof Owner>): Entry {
    const entry = { ...record, ...this.#owner } as unknown as Entry;
    this.#table.put(entry);
    return entry;
  }

  remove(id: string): void {
    if (this.get(id)) this.#table.remove(id);
  }
}
