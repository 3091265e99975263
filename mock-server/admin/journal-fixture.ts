import type { RecordedRequest } from "../journal/journal.ts";

/** One recorded response in the form that `nock.define` takes. */
export interface FixtureEntry {
  /** Origin of the server. */
  scope: string;
  method: string;
  /** With the query. */
  path: string;
  body?: unknown;
  status: number;
  response: unknown;
  /** Alternating names and values. */
  rawHeaders: string[];
}

/** Headers that differ between connections or moments. */
const volatileHeaders = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "transfer-encoding",
  "x-request-id",
]);

/**
 * The requests that got a response as a `nock` fixture, so that tests can run without a server. Redacted as in the
 * journal.
 */
export function fixtureOf(requests: readonly RecordedRequest[], serverUrl: string): FixtureEntry[] {
  return requests.flatMap(({ method, path, status, request, response }) => {
    if (status === null) return [];
    const kept = Object.entries(response.headers).filter(([name]) => !volatileHeaders.has(name));
    return [
      {
        scope: new URL(serverUrl).origin,
        method,
        path,
        ...(request.body === null || request.body === "" ? {} : { body: request.body }),
        status,
        response: response.body ?? "",
        rawHeaders: kept.flat(),
      },
    ];
  });
}
