import type { HttpResponse } from "../kit/http/http-response.ts";
import { parseJson } from "../kit/http/json.ts";
import { isSecretName, type Redaction } from "../kit/redaction.ts";

/** One request to the server, unredacted; reading redacts it. */
export interface JournalEntry {
  id: string;
  /** Milliseconds since the epoch, by the server's clock. */
  time: number;
  method: string;
  path: string;
  operation: string | null;
  tenant: string | null;
  status: number | null;
  /** Alternating names and values. */
  requestHeaders: readonly string[];
  requestBody: string | null;
  responseHeaders: NonNullable<HttpResponse["headers"]>;
  responseBody: string | null;
}

export interface JournalFilter {
  method?: string | undefined;
  /** Predicate for the path. */
  path?: ((path: string) => boolean) | undefined;
  operation?: string | undefined;
  status?: number | undefined;
  tenant?: string | undefined;
  /** Only requests from this time on, in milliseconds since the epoch by the server's clock. */
  since?: number | undefined;
  /** Only requests for a path or method that the server doesn't have. */
  unmatched?: boolean | undefined;
}

/** Numbers of requests. */
export interface RequestCounts {
  total: number;
  unmatched: number;
  byOperation: Record<string, number>;
  byStatus: Record<string, number>;
}

/** A journal entry for readers: redacted, with JSON bodies parsed. */
export interface RecordedRequest {
  id: string;
  /** ISO 8601. */
  time: string;
  method: string;
  /** With the query. */
  path: string;
  operation: string | null;
  tenant: string | null;
  /** `null` where the connection was closed without a response. */
  status: number | null;
  request: { headers: Record<string, string>; body: unknown };
  response: { headers: Record<string, string>; body: unknown };
}

/** Limits of a journal. */
export interface JournalLimits {
  requests: number;
  /** Maximum length of all bodies together, in characters. */
  characters: number;
}

const defaultLimits: JournalLimits = { requests: 1000, characters: 64 * 1024 * 1024 };

/** The latest requests to a server, within the limits. */
export class Journal {
  #entries: JournalEntry[] = [];
  /** Index of the oldest entry that is still held. */
  #first = 0;
  #characters = 0;
  readonly #redaction: Redaction;
  readonly #limits: JournalLimits;

  constructor(redaction: Redaction, limits = defaultLimits) {
    this.#redaction = redaction;
    this.#limits = limits;
  }

  add(entry: JournalEntry): void {
    const kept = {
      ...entry,
      requestBody: withinLimit(entry.requestBody),
      responseBody: withinLimit(entry.responseBody),
    };
    this.#entries.push(kept);
    this.#characters += charactersOf(kept);
    while (this.#isOverfull) this.#characters -= charactersOf(this.#entries[this.#first++] as JournalEntry);
    if (this.#first < this.#entries.length / 2) return;
    this.#entries = this.#entries.slice(this.#first);
    this.#first = 0;
  }

  get #isOverfull(): boolean {
    const count = this.#entries.length - this.#first;
    return count > this.#limits.requests || (count > 1 && this.#characters > this.#limits.characters);
  }

  clear(): void {
    this.#entries = [];
    this.#first = 0;
    this.#characters = 0;
  }

  /** The matching requests, oldest first. */
  read(filter: JournalFilter = {}): RecordedRequest[] {
    return this.#matching(filter).map((entry) => this.#redacted(entry));
  }

  count(filter: JournalFilter = {}): RequestCounts {
    const entries = this.#matching(filter);
    const counts: RequestCounts = { total: entries.length, unmatched: 0, byOperation: {}, byStatus: {} };
    const increase = (record: Record<string, number>, key: string) => {
      record[key] = (record[key] ?? 0) + 1;
    };
    for (const entry of entries) {
      if (isUnmatched(entry)) counts.unmatched++;
      if (entry.operation !== null) increase(counts.byOperation, entry.operation);
      increase(counts.byStatus, String(entry.status ?? "reset"));
    }
    return counts;
  }

  #matching(filter: JournalFilter): JournalEntry[] {
    return this.#entries
      .slice(this.#first)
      .filter(
        (entry) =>
          (filter.method === undefined || entry.method === filter.method.toUpperCase()) &&
          (filter.path === undefined || filter.path(entry.path.replace(/\?.*$/s, ""))) &&
          (filter.operation === undefined || entry.operation === filter.operation) &&
          (filter.status === undefined || entry.status === filter.status) &&
          (filter.tenant === undefined || entry.tenant === filter.tenant) &&
          (filter.since === undefined || entry.time >= filter.since) &&
          (filter.unmatched === undefined || isUnmatched(entry) === filter.unmatched),
      );
  }

  #redacted({ requestHeaders, requestBody, responseHeaders, responseBody, ...entry }: JournalEntry): RecordedRequest {
    const side = (headers: Record<string, string>, body: string | null) => ({
      headers: this.#headers(headers),
      body: body === null ? null : parsed(this.#text(redactSecretValues(body))),
    });
    return {
      ...entry,
      time: new Date(entry.time).toISOString(),
      path: this.#text(entry.path),
      request: side(headersByName(requestHeaders), requestBody),
      response: side(asText(responseHeaders), responseBody),
    };
  }

  #headers(headers: Record<string, string>): Record<string, string> {
    const redacted = Object.entries(this.#redaction.headers(headers));
    return Object.fromEntries(redacted.map(([name, value]) => [name, value.replace(secretParameters, "$1[redacted]")]));
  }

  #text(text: string): string {
    return this.#redaction.text(text).replace(secretParameters, "$1[redacted]");
  }
}

/** Whether the server has no such path, or not this method of it. */
function isUnmatched({ operation, status, path }: JournalEntry): boolean {
  return operation === null && (status === 404 || status === 405) && !path.startsWith("/agents/");
}

function charactersOf({ requestBody, responseBody }: JournalEntry): number {
  return (requestBody?.length ?? 0) + (responseBody?.length ?? 0);
}

/** Maximum length of a body, in characters. Longer ones aren't recorded: a thousand of them would fill the memory. */
const maxBodyLength = 256 * 1024;

function withinLimit(body: string | null): string | null {
  if (body === null || body.length <= maxBodyLength) return body;
  return JSON.stringify(`[${body.length} characters, which is too long for the journal]`);
}

function headersByName(headers: readonly string[]): Record<string, string> {
  const byName: Record<string, string> = Object.create(null);
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = (headers[index] as string).toLowerCase();
    const value = headers[index + 1] as string;
    byName[name] = name in byName ? `${byName[name]}, ${value}` : value;
  }
  return byName;
}

function asText(headers: JournalEntry["responseHeaders"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function parsed(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return body;
  }
}

/**
 * Query parameters of URLs that hold secrets, such as the signature of an upload URL or the code of an OAuth callback.
 */
const secretParameters =
  /([?&](?:signature|(?:x-)?api[_-]?key|(?:access_|refresh_)?token|client_secret|code|code_verifier|password)=)[^&#\s"'<>\\]+/gi;

const secretFormField = /(^|&)(client_secret|refresh_token|code_verifier|code)=[^&]*/g;

/** Redacts secrets by their place in the body: those of refused requests aren't known otherwise. */
function redactSecretValues(body: string): string {
  if (/^[\w.~%+-]+=[^{}"]*$/.test(body)) return body.replace(secretFormField, "$1$2=[redacted]");
  const isSecret = (name: string) => name === "secrets" || isSecretName(name);
  if (![...body.matchAll(/"([\w-]+)"\s*:/g)].some(([, name]) => isSecret(name as string))) return body;
  try {
    return JSON.stringify(parseJson(body), (name, value) => {
      if (!isSecret(name) || typeof value === "boolean" || typeof value === "number" || value === null) return value;
      return Array.isArray(value) ? value.map(redactSecret) : "[redacted]";
    });
  } catch {
    return '"[redacted: no valid JSON, and it may hold secrets]"';
  }
}

function redactSecret(secret: unknown): unknown {
  return typeof secret === "object" && secret !== null ? { ...secret, value: "[redacted]" } : "[redacted]";
}
