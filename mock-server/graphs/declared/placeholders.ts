import type { Fields } from "../../agent-server/engine/contract.ts";

const placeholder = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/** The names that a declaration's texts ask for, as `{{name}}`. */
export function placeholdersIn(declared: unknown): string[] {
  if (typeof declared === "string") return [...declared.matchAll(placeholder)].map(([, name]) => name as string);
  if (typeof declared !== "object" || declared === null) return [];
  return Object.values(declared).flatMap(placeholdersIn);
}

/** A declaration with the values in place of their names. A text that is nothing but a name becomes the value itself, whatever its type. */
export function filledIn(declared: unknown, values: Fields): unknown {
  if (typeof declared === "string") {
    const [whole] = [...declared.matchAll(placeholder)];
    if (whole && whole[0] === declared.trim()) return values[whole[1] as string];
    return declared.replace(placeholder, (_, name: string) => asText(values[name]));
  }
  if (Array.isArray(declared)) return declared.map((part) => filledIn(part, values));
  if (typeof declared !== "object" || declared === null) return declared;
  return Object.fromEntries(Object.entries(declared).map(([key, part]) => [key, filledIn(part, values)]));
}

/** A value as it reads in a text. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
