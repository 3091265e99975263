import { z } from "zod";
import type { Journal, JournalFilter } from "../journal/journal.ts";
import { globMatcher } from "../kit/glob.ts";
import { unprocessable } from "../kit/http/http-error.ts";
import { jsonResponse } from "../kit/http/http-response.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import { issuesOf } from "../kit/operation/validation-issues.ts";
import { namingUnknownKeys } from "../kit/unknown-names.ts";
import { toWireNames } from "../kit/wire-names.ts";
import type { ServeAdmin } from "./admin-route.ts";
import { fixtureOf } from "./journal-fixture.ts";

const filterQuery = z.strictObject({
  method: z.string().optional(),
  path: z.string().optional(),
  operation: z.string().optional(),
  tenant: z.string().optional(),
  status: z.coerce.number().int().optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  unmatched: z.enum(["true", "false"]).optional(),
});

/** @throws {HttpError} 422 for an unknown filter or an invalid value. */
function readFilter(context: RequestContext): JournalFilter {
  const input = Object.fromEntries(context.query);
  const result = filterQuery.safeParse(input, namingUnknownKeys);
  if (!result.success) throw unprocessable(issuesOf(result.error, input, ["query"]));
  const { path, since, unmatched, ...rest } = result.data;
  return {
    ...rest,
    path: path === undefined ? undefined : globMatcher(path),
    since: since === undefined ? undefined : Date.parse(since),
    unmatched: unmatched === undefined ? undefined : unmatched === "true",
  };
}

/** Serves the journal under `/_mock/requests`: the requests, their counts, and a fixture for tests without a server. */
export function serveJournal(serve: ServeAdmin, journal: Journal, serverUrl: () => string): void {
  serve("GET", "/_mock/requests", (context) => {
    const requests = journal.read(readFilter(context));
    return jsonResponse(200, { count: requests.length, requests });
  });
  serve("GET", "/_mock/requests/counts", (context) =>
    jsonResponse(200, toWireNames(journal.count(readFilter(context)))),
  );
  serve("GET", "/_mock/requests/export", (context) =>
    jsonResponse(200, fixtureOf(journal.read(readFilter(context)), serverUrl())),
  );
  serve("DELETE", "/_mock/requests", () => {
    journal.clear();
    return jsonResponse(204, undefined);
  });
}
