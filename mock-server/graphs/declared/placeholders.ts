import type { Fields } from "../../agent-server/engine/contract.ts";

const placeholder = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/** The names in placeholders `{{name}}` of a declaration. */
export function placeholdersIn(declared: unknown): string[] {
  if (typeof declared === "string") return [...declared.matchAll(placeholder)].map(([, name]) => name as string);
  if (typeof declared !== "object" || declared === null) return [];
  return Object.values(declared).flatMap(placeholdersIn);
}

/**
 * A declaration with its placeholders filled in. A string that is a single placeholder becomes the value itself, of any
 * type.
 */
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

/** A value as text. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
