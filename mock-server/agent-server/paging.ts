import type { HttpResponse } from "../kit/http/http-response.ts";
import type { Page } from "./persistence/page.ts";
import { ok } from "./responses.ts";

/**
 * The response with a page. Its headers have the number of rows on all pages, and the offset of the next page, if there
 * is one.
 */
export function pageOf<Row>({ rows, total }: Page<Row>, offset: number, view: (row: Row) => object): HttpResponse {
  const next = offset + rows.length;
  return ok(rows.map(view), {
    "x-pagination-total": String(total),
    ...(next < total ? { "x-pagination-next": String(next) } : {}),
  });
}

/** The selected fields of an object; all for an absent or empty selection. */
export function selected(view: object, select: readonly string[] | undefined): object {
  if (!select?.length) return view;
  return Object.fromEntries(Object.entries(view).filter(([name]) => select.includes(name)));
}
