/** A page of rows, and the number of rows on all pages. */
export interface Page<Row> {
  rows: Row[];
  total: number;
}

/** The field that orders rows; equal rows are in order of creation. */
export interface Order<Name extends string> {
  by: Name;
  direction: "asc" | "desc";
}
