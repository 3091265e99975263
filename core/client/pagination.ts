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

/** A listing fails after more consecutive pages than this without a new item. */
const maxStalePages = 20;

/** The largest page that the control plane returns, in items. */
const maxPageSize = 100;

/**
 * A listing, fetched page by page during iteration: `for await (const item of list)`.
 *
 * The newest items come first, so creating one during the iteration shifts others onto the next page; duplicates are
 * skipped. Deleting one may hide another; where absence matters, iterate twice.
 */
export class Listing<Item extends { id: string }> implements AsyncIterable<Item> {
  readonly #fetchPage: (request: PageRequest) => Promise<Page<Item>>;
  readonly #limit: number;

  constructor(fetchPage: (request: PageRequest) => Promise<Page<Item>>, limit: number = maxPageSize) {
    this.#fetchPage = fetchPage;
    this.#limit = limit;
  }

  /** The last page is one that is shorter than the limit, or whose offset doesn't grow. */
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
        throw new ResponseError("The listing keeps returning the same items: the server ignores `offset`.", {
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

  /** Every item. @throws {@link ResponseError} for a server that ignores `offset`; the client's errors */
  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}
