import { ResponseError } from "./errors.ts";

/** One page of a listing, as the control plane sends it. */
export interface Page<Item> {
  resources: readonly Item[];
  /** What to pass as `offset` to get the next page. */
  offset: number;
}

export interface PageRequest {
  limit: number;
  offset: number;
}

/** Pages in a row without a single new item, after which a listing counts as endless. */
const maxStalePages = 20;

/** The largest page that the control plane sends. */
const maxPageSize = 100;

/**
 * A listing, fetched page by page while it is read: `for await (const item of list)`.
 *
 * Newest come first, so an item that is created meanwhile pushes others onto the next page, where they are seen again: each is given out
 * once. An item may be missed when others are deleted meanwhile; where absence matters, read the listing again.
 */
export class Listing<Item extends { id: string }> implements AsyncIterable<Item> {
  readonly #fetchPage: (request: PageRequest) => Promise<Page<Item>>;
  readonly #limit: number;

  constructor(fetchPage: (request: PageRequest) => Promise<Page<Item>>, limit: number = maxPageSize) {
    this.#fetchPage = fetchPage;
    this.#limit = limit;
  }

  /** Page after page. A page that is shorter than the limit, or whose offset doesn't grow, is the last. */
  async *pages(): AsyncGenerator<Page<Item>> {
    for (let offset = 0; ; ) {
      const page = await this.#fetchPage({ limit: this.#limit, offset });
      yield page;
      if (page.resources.length < this.#limit || page.offset <= offset) return;
      offset = page.offset;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    const seen = new Set<string>();
    let stalePages = 0;
    for await (const page of this.pages()) {
      stalePages = page.resources.every((item) => seen.has(item.id)) ? stalePages + 1 : 0;
      if (stalePages > maxStalePages) {
        throw new ResponseError("A listing gives out the same items again and again: the server ignores `offset`.", {
          path: "offset",
        });
      }
      for (const item of page.resources) {
        if (seen.has(item.id)) continue;
        seen.add(item.id);
        yield item;
      }
    }
  }

  /** Every item, in memory. */
  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}
