import stringWidth from "string-width";

/** Rows as lines, with columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ""))));
  return rows.map((row) =>
    row
      .map((text, column) => text + " ".repeat((widths[column] ?? 0) - stringWidth(text)))
      .join("  ")
      .trimEnd(),
  );
}
