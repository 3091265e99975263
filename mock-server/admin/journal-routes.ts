import { z } from "zod";
import { globMatcher } from "../glob.ts";
import { unprocessable } from "../http-error.ts";
import type { Journal, JournalFilter } from "../journal.ts";
import { sendJson } from "../openapi/response.ts";
import type { MockApp, MockRequest } from "../openapi/route.ts";
import { issuesOf } from "../openapi/validation.ts";
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

/** @throws {HttpError} 422 for a filter that there isn't, or a value that it can't have. */
function readFilter(context: MockRequest): JournalFilter {
  const input = context.req.query();
  const result = filterQuery.safeParse(input);
  if (!result.success) throw unprocessable(issuesOf(result.error, input, ["query"]));
  const { path, since, unmatched, ...rest } = result.data;
  return {
    ...rest,
    path: path === undefined ? undefined : globMatcher(path),
    since: since === undefined ? undefined : Date.parse(since),
    unmatched: unmatched === undefined ? undefined : unmatched === "true",
  };
}

/** Serves the journal under `/_mock/requests`: the requests, their counts, and both as a fixture for tests without a server. */
export function serveJournal(app: MockApp, journal: Journal, serverUrl: () => string): void {
  app.get("/_mock/requests", (context) => {
    const requests = journal.read(readFilter(context));
    return sendJson(context, 200, { count: requests.length, requests });
  });
  app.get("/_mock/requests/counts", (context) => sendJson(context, 200, journal.count(readFilter(context))));
  app.get("/_mock/requests/export", (context) =>
    sendJson(context, 200, fixtureOf(journal.read(readFilter(context)), serverUrl())),
  );
  app.delete("/_mock/requests", (context) => {
    journal.clear();
    return sendJson(context, 204, undefined);
  });
}
