/** Shorter values aren't redacted: they are too common in ordinary text. In characters. */
const minFormLength = 4;

/** Size of the digest table, a power of two. */
const tableSize = 4096;

/**
 * A set of strings to replace in one pass. The cost grows with the searched text, not with the number of forms, and
 * adding a form is cheap: a server gets new secrets all the time.
 */
export class SecretForms {
  readonly #forms = new Set<string>();
  /** Lengths of the forms, longest first, by the digest of their first four characters. */
  readonly #lengths = new Map<number, number[]>();
  /** 1 where a form begins with characters of this digest; indexed by its last bits. */
  readonly #mayBegin = new Uint8Array(tableSize);

  get isEmpty(): boolean {
    return this.#forms.size === 0;
  }

  /** `form` has at least {@link minFormLength} characters. */
  add(form: string): void {
    if (this.#forms.has(form)) return;
    this.#forms.add(form);
    const start = startAt(form, 0);
    this.#mayBegin[start & (tableSize - 1)] = 1;
    const lengths = this.#lengths.get(start);
    if (!lengths) this.#lengths.set(start, [form.length]);
    else if (!lengths.includes(form.length)) lengths.splice(positionOf(lengths, form.length), 0, form.length);
  }

  /** `text` with every form replaced; where several begin at the same index, the longest. */
  replaceIn(text: string, replacement: string): string {
    let result = "";
    let kept = 0;
    for (let index = 0; index + minFormLength <= text.length; ) {
      const length = this.#lengthAt(text, index);
      if (length === 0) {
        index++;
        continue;
      }
      result += text.slice(kept, index) + replacement;
      index += length;
      kept = index;
    }
    return kept === 0 ? text : result + text.slice(kept);
  }

  #lengthAt(text: string, index: number): number {
    const start = startAt(text, index);
    if (this.#mayBegin[start & (tableSize - 1)] === 0) return 0;
    for (const length of this.#lengths.get(start) ?? []) {
      if (this.#forms.has(text.slice(index, index + length))) return length;
    }
    return 0;
  }
}

/** A digest of the four characters at `index`. */
function startAt(text: string, index: number): number {
  const first = text.charCodeAt(index) * 31 + text.charCodeAt(index + 1);
  return (Math.imul(Math.imul(first, 31) + text.charCodeAt(index + 2), 31) + text.charCodeAt(index + 3)) | 0;
}

function positionOf(lengths: readonly number[], length: number): number {
  const position = lengths.findIndex((other) => other < length);
  return position < 0 ? lengths.length : position;
}

const commonWords: ReadonlySet<string> = new Set(["true", "false", "null", "yes", "no"]);

/** Numbers with fewer digits are too common: ports, durations, counts, HTTP statuses. */
const minDigits = 6;

/**
 * Why a secret value isn't redacted: replacing it would garble ordinary text, and the gaps would still reveal it.
 * `undefined` where it is redacted.
 */
export function unprotectedReason(value: string): string | undefined {
  const text = value.trim();
  if (commonWords.has(text.toLowerCase())) return "a common word";
  if (text.length < minFormLength) return `under ${minFormLength} characters`;
  const digits = /^[+-]?(\d+)(?:\.(\d+))?$/.exec(text);
  if (digits !== null && `${digits[1]}${digits[2] ?? ""}`.length < minDigits) {
    return `a number under ${minDigits} digits`;
  }
  return undefined;
}

/** A warning that names the secrets that can't be redacted, each with the reason; `undefined` if there are none. */
export function unprotectedWarning(secrets: Readonly<Record<string, string>>): string | undefined {
  const named = Object.entries(secrets).flatMap(([name, value]) => {
    const reason = value === "" ? undefined : unprotectedReason(value);
    return reason === undefined ? [] : [`${name} (${reason})`];
  });
  if (named.length === 0) return undefined;
  return `These values aren't redacted from logs and messages, because they are too common in ordinary text: ${named.join(", ")}.`;
}

const replacement = "[redacted]";

/** Replaces secret values in text, plain or encoded, with `[redacted]`. */
export class Redactor {
  readonly #values = new Set<string>();
  readonly #unprotected = new Set<string>();
  readonly #forms = new SecretForms();
  /** Values whose encoded forms aren't computed yet. */
  #pending: string[] = [];

  constructor(values: Iterable<string | undefined> = []) {
    this.add(values);
  }

  /**
   * Adds secret values; a multi-line value is also redacted line by line, as a log prints it. Values that are too
   * common in ordinary text are skipped (`unprotectedReason`).
   */
  add(values: Iterable<string | undefined>): this {
    for (const value of values) {
      if (value === undefined || value === "") continue;
      if (unprotectedReason(value) !== undefined) {
        this.#unprotected.add(value);
        continue;
      }
      if (this.#values.has(value)) continue;
      for (const part of [value, ...value.split(/\r?\n/).map((line) => line.trim())]) {
        if (this.#values.has(part) || unprotectedReason(part) !== undefined) continue;
        this.#values.add(part);
        this.#pending.push(part);
      }
    }
    return this;
  }

  /** A copy that redacts further values. */
  with(values: Iterable<string>): Redactor {
    return new Redactor([...this.#values, ...values]);
  }

  /** Whether `value` was added but isn't redacted. */
  isUnprotected(value: string): boolean {
    return this.#unprotected.has(value);
  }

  /** `text` without any of the values, plain or JSON-, URL- or base64-encoded. */
  text(text: string): string {
    for (const value of this.#pending) for (const form of encodings(value)) this.#forms.add(form);
    this.#pending = [];
    return this.#forms.isEmpty ? text : this.#forms.replaceIn(text, replacement);
  }

  /** A deep copy of a JSON-like value with every string redacted, keys included. */
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
    // Some servers escape everything but ASCII in JSON.
    json.replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll("%20", "+"),
    new URLSearchParams({ v: value }).toString().slice(2),
    ...base64Forms(value),
  ].filter((form) => form.length >= minFormLength);
}

/**
 * Base64 of the value on its own and inside longer text. There it starts at one of three positions in a 3-byte group,
 * and characters that also encode neighbouring bytes vary, so only those that encode just the value are matched.
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

/** Receives the core's log. Messages and fields are already redacted. */
export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** `logger` behind redaction of every message and field. */
export function redactingLogger(logger: Logger, redactor: Redactor): Logger {
  const redacted = (level: keyof Logger) => (message: string, fields?: Record<string, unknown>) =>
    logger[level](redactor.text(message), fields && (redactor.deep(fields) as Record<string, unknown>));
  return { debug: redacted("debug"), info: redacted("info"), warn: redacted("warn"), error: redacted("error") };
}
