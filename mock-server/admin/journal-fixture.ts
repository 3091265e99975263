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
  /** Names and values in turn. */
  rawHeaders: string[];
}

/** Headers that belong to one connection or one moment. */
const volatileHeaders = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "transfer-encoding",
  "x-request-id",
]);

/** The requests that got a response, as a fixture, for tests that run without a server; as redacted as the journal is. */
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
