import type { Page, Table } from "../../kit/store/table.ts";

/** The records of a table that belong to one owner: there is no way to those of others. */
export class TenantTable<Entry extends { id: string }, Owner extends Partial<Entry>> {
  readonly #table: Table<Entry>;
  readonly #owner: Owner;

  /** `owner`: the fields, and their values, that all records of the owner have. */
  constructor(table: Table<Entry>, owner: Owner) {
    this.#table = table;
    this.#owner = owner;
  }

  get(id: string): Entry | undefined {
    return this.find({ id } as Partial<Entry>)[0];
  }

  /** The records whose fields have these values, oldest first. */
  find(wanted: Partial<Entry> = {}): Entry[] {
    return this.#table.find({ ...wanted, ...this.#owner });
  }

  /** Whether there is a record whose fields have these values. */
  hasAny(wanted: Partial<Entry>): boolean {
    return this.#table.hasAny({ ...wanted, ...this.#owner });
  }

  /** A page of the records, newest first. */
  page(page: Page): Entry[] {
    return this.#table.page(this.#owner, page);
  }

  /** Keeps a record as the owner's, in the place of one with the same id. */
  put(record: Omit<Entry, keyof Owner>): Entry {
    const entry = { ...record, ...this.#owner } as unknown as Entry;
    this.#table.put(entry);
    return entry;
  }

  remove(id: string): void {
    if (this.get(id)) this.#table.remove(id);
  }
}
