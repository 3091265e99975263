import type { Redaction } from "./redaction.ts";

/** One request that the server was asked, as it was; it is redacted when it is read. */
export interface JournalEntry {
  id: string;
  /** Milliseconds since the epoch, by the server's clock. */
  time: number;
  method: string;
  path: string;
  operation: string | null;
  tenant: string | null;
  status: number | null;
  request: JournalSide;
  response: JournalSide;
}

/** What one side sent: headers by name, or names and values in turn. */
export interface JournalSide {
  headers: Record<string, string> | readonly string[];
  body: string | null;
}

export interface JournalFilter {
  method?: string | undefined;
  /** A test of the path. */
  path?: ((path: string) => boolean) | undefined;
  operation?: string | undefined;
  status?: number | undefined;
}

/** A journal entry as it is handed out: without secrets, bodies parsed where they are JSON. */
export interface RecordedRequest {
  id: string;
  /** ISO 8601. */
  time: string;
  method: string;
  /** With the query. */
  path: string;
  operation: string | null;
  tenant: string | null;
  /** `null` where the connection was broken off instead of an answer. */
  status: number | null;
  request: { headers: Record<string, string>; body: unknown };
  response: { headers: Record<string, string>; body: unknown };
}

/** The last requests that a server was asked: at most `capacity`. */
export class Journal {
  #entries: JournalEntry[] = [];
  readonly #redaction: Redaction;
  readonly #capacity: number;

  constructor(redaction: Redaction, capacity = 1000) {
    this.#redaction = redaction;
    this.#capacity = capacity;
  }

  add(entry: JournalEntry): void {
    entry.request.body = withinLimit(entry.request.body);
    entry.response.body = withinLimit(entry.response.body);
    this.#entries.push(entry);
    if (this.#entries.length >= 2 * this.#capacity) this.#entries = this.#entries.slice(-this.#capacity);
  }

  clear(): void {
    this.#entries = [];
  }

  /** The matching requests, oldest first. */
  read(filter: JournalFilter = {}): RecordedRequest[] {
    return this.#entries
      .slice(-this.#capacity)
      .filter(
        (entry) =>
          (filter.method === undefined || entry.method === filter.method.toUpperCase()) &&
          (filter.path === undefined || filter.path(entry.path.replace(/\?.*$/s, ""))) &&
          (filter.operation === undefined || entry.operation === filter.operation) &&
          (filter.status === undefined || entry.status === filter.status),
      )
      .map((entry) => this.#redacted(entry));
  }

  #redacted({ request, response, ...entry }: JournalEntry): RecordedRequest {
    const side = ({ headers, body }: JournalSide) => ({
      headers: this.#redaction.headers(headersByName(headers)),
      body: body === null ? null : parsed(this.#redaction.text(redactSecretValues(body))),
    });
    return {
      ...entry,
      time: new Date(entry.time).toISOString(),
      path: this.#redaction.text(entry.path),
      request: side(request),
      response: side(response),
    };
  }
}

/** Longer bodies, in characters, aren't kept: a thousand of them would fill the memory. */
const longestBody = 256 * 1024;

function withinLimit(body: string | null): string | null {
  if (body === null || body.length <= longestBody) return body;
  return JSON.stringify(`[${body.length} characters, which is too long for the journal]`);
}

function headersByName(headers: Record<string, string> | readonly string[]): Record<string, string> {
  if (!isList(headers)) return headers;
  const byName: Record<string, string> = {};
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = (headers[index] as string).toLowerCase();
    const value = headers[index + 1] as string;
    byName[name] = name in byName ? `${byName[name]}, ${value}` : value;
  }
  return byName;
}

function isList(headers: Record<string, string> | readonly string[]): headers is readonly string[] {
  return Array.isArray(headers);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** Secrets of requests that were refused are known by nothing but their place in the body. */
function redactSecretValues(body: string): string {
  if (!body.includes('"secrets"')) return body;
  try {
    return JSON.stringify(JSON.parse(body), (name, value) =>
      name === "secrets" && Array.isArray(value) ? value.map(redactSecret) : value,
    );
  } catch {
    return '"[redacted: no valid JSON, and it may hold secrets]"';
  }
}

function redactSecret(secret: unknown): unknown {
  return typeof secret === "object" && secret !== null ? { ...secret, value: "[redacted]" } : "[redacted]";
}
