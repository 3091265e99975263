import type { HttpResponse } from "../kit/http/http-response.ts";
import type { Page } from "./persistence/page.ts";
import { ok } from "./responses.ts";

/** A page from `offset` on. Its headers say how many rows there are on all pages, and where the next page begins, if there is one. */
export function pageOf<Row>({ rows, total }: Page<Row>, offset: number, view: (row: Row) => object): HttpResponse {
  const next = offset + rows.length;
  return ok(rows.map(view), {
    "x-pagination-total": String(total),
    ...(next < total ? { "x-pagination-next": String(next) } : {}),
  });
}

/** The chosen fields of an object; all without a choice, and an empty one is none. */
export function selected(view: object, select: readonly string[] | undefined): object {
  if (!select?.length) return view;
  return Object.fromEntries(Object.entries(view).filter(([name]) => select.includes(name)));
}
