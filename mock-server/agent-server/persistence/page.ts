/** A page of rows, and how many there are on all pages. */
export interface Page<Row> {
  rows: Row[];
  total: number;
}

/** By which field rows are ordered; rows that are alike there, in the order in which they were made. */
export interface Order<Name extends string> {
  by: Name;
  direction: "asc" | "desc";
}
