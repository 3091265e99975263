import type { Page } from "./persistence/page.ts";

/** The headers that tell of all pages: how many there are in all, and where the next page begins, if there is one. */
export function pageHeaders({ rows, total }: Page<unknown>, offset: number): Record<string, string> {
  const next = offset + rows.length;
  return {
    "x-pagination-total": String(total),
    ...(next < total ? { "x-pagination-next": String(next) } : {}),
  };
}

/** The chosen fields of an object; all without a choice. */
export function selected(view: object, select: readonly string[] | undefined): object {
  if (!select) return view;
  return Object.fromEntries(Object.entries(view).filter(([name]) => select.includes(name)));
}
