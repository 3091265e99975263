import { SecretForms, shortestForm } from "./secret-forms.ts";
import { unprotectedBecause } from "./unprotected-values.ts";

const replacement = "[redacted]";

/** Removes secret values from text, wherever the value stands and however it is encoded. */
export class Redactor {
  readonly #values = new Set<string>();
  readonly #unprotected = new Set<string>();
  readonly #forms = new SecretForms();
  /** Values whose forms haven't been worked out yet. */
  #pending: string[] = [];

  constructor(values: Iterable<string | undefined> = []) {
    this.add(values);
  }

  /**
   * Takes more secret values; a multi-line value is also redacted line by line, as a log prints it. Values that ordinary text is full of are left
   * alone ({@link unprotectedBecause}).
   */
  add(values: Iterable<string | undefined>): this {
    for (const value of values) {
      if (value === undefined || value === "") continue;
      if (unprotectedBecause(value) !== undefined) {
        this.#unprotected.add(value);
        continue;
      }
      if (this.#values.has(value)) continue;
      for (const part of [value, ...value.split(/\r?\n/).map((line) => line.trim())]) {
        if (this.#values.has(part) || unprotectedBecause(part) !== undefined) continue;
        this.#values.add(part);
        this.#pending.push(part);
      }
    }
    return this;
  }

  /** Whether a value was given that isn't redacted: the caller warns about it by name. */
  isUnprotected(value: string): boolean {
    return this.#unprotected.has(value);
  }

  /** `text` without any of the values, plain or JSON-, URL- or base64-encoded. */
  text(text: string): string {
    for (const value of this.#pending) for (const form of encodings(value)) this.#forms.add(form);
    this.#pending = [];
    return this.#forms.isEmpty ? text : this.#forms.replaceIn(text, replacement);
  }

  /** A deep copy of a JSON-like value with every string (keys too) redacted. */
  deep(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.deep(item));
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.text(key), this.deep(item)]));
    }
    return value;
  }
}

function encodings(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const url = encodeURIComponent(value.toWellFormed());
  return [
    value,
    json,
    JSON.stringify(json).slice(1, -1),
    // Servers that keep JSON to ASCII.
    json.replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll("%20", "+"),
    new URLSearchParams({ v: value }).toString().slice(2),
    ...base64Forms(value),
  ].filter((form) => form.length >= shortestForm);
}

/**
 * Base64 of the value on its own and inside a longer text: there it starts at one of three positions of a 3-byte group, and the characters
 * that also hold neighbouring bytes differ, so only those that hold nothing but the value are matched.
 */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  const forms = new Set<string>();
  for (const encoding of ["base64", "base64url"] as const) {
    forms.add(bytes.toString(encoding));
    forms.add(bytes.toString(encoding).replace(/=+$/, ""));
    for (const lead of [0, 1, 2]) {
      const text = Buffer.concat([Buffer.alloc(lead), bytes])
        .toString(encoding)
        .replace(/=+$/, "");
      const start = Math.ceil((lead * 8) / 6);
      const end = Math.floor(((lead + bytes.length) * 8) / 6);
      const inner = text.slice(start, end);
      forms.add(inner);
    }
  }
  return [...forms];
}
